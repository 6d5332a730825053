-- Locales whose intake is paused, with the note for players.
-- Reads ingest_localecontrol.
SELECT locale, note FROM ingest_localecontrol WHERE intake_paused
