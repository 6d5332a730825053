-- Subtracting twice in one transaction finds no tables of the first time.
DROP TABLE brought, touched, staged_row, touched_name, staged_note
