-- Subtracting twice in one transaction finds no tables of the first time.
DROP TABLE contribution, touched_habitat, staged_row, touched_name, staged_report
