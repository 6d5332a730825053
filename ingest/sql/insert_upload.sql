-- Keep an accepted upload's row, unless another one with its content stands, waits or is withdrawn.
-- Writes ingest_upload; waits for whoever inserts the same content at this moment. Parameters: every column.
INSERT INTO ingest_upload (
    id, locale, content_hash, version, game_version, sender, file_name, size_bytes, document, archived, mobs,
    positions, lootings, ignored, status, received_at, staged_at, merged_at, rejected_at, withdrawn_at, brought,
    reason, claimed_by, lease_until, attempts, retry_at, faults
) VALUES (
    %(id)s, %(locale)s, %(content_hash)s, %(version)s, %(game_version)s, %(sender)s, %(file_name)s,
    %(size_bytes)s, %(document)s, %(archived)s, %(mobs)s, %(positions)s, %(lootings)s, %(ignored)s, %(status)s,
    %(received_at)s, %(staged_at)s, %(merged_at)s, %(rejected_at)s, %(withdrawn_at)s, %(brought)s, %(reason)s,
    %(claimed_by)s, %(lease_until)s, %(attempts)s, %(retry_at)s, %(faults)s
)
ON CONFLICT (locale, content_hash) WHERE status <> 'rejected' DO NOTHING
