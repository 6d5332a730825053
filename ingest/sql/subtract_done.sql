-- Subtracting twice in one transaction finds no tables of the first time.
DROP TABLE
    staged_upload, staged_creature, staged_position, staged_loot, staged_drop, brought, touched, touched_name, staged_note
