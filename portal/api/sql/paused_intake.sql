-- Which locales take no uploads now, and what is said about it.
-- Reads ingest_localecontrol.
SELECT locale, note FROM ingest_localecontrol WHERE intake_paused
