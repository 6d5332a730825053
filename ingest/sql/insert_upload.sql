-- Insert the row of an accepted upload, unless another upload has its content and is not rejected.
-- Writes ingest_upload; waits for whoever is inserting the same content. What is not a parameter is the same in every
-- new row. Parameters: as listed under VALUES; `ignored` is JSON text.
INSERT INTO ingest_upload (
    id, locale, content_hash, version, game_version, sender, file_name, size_bytes, document_name, mobs, positions,
    lootings, ignored, received_at, archived, status, reason, claimed_by, attempts, quarantine_step
) VALUES (
    %(id)s, %(locale)s, %(content_hash)s, %(version)s, %(game_version)s, %(sender)s, %(file_name)s,
    %(size_bytes)s, %(document_name)s, %(mobs)s, %(positions)s, %(lootings)s, %(ignored)s::jsonb, %(received_at)s,
    false, 'queued', '', '', 0, 0
)
ON CONFLICT (locale, content_hash) WHERE status <> 'rejected' DO NOTHING
