-- Delete the staged rows of uploads that were deleted from staged_upload. Writes staged_*.
-- staged_position is packed: its orphans are skipped when it is unpacked.
DELETE FROM staged_creature s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no);
DELETE FROM staged_loot s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no);
DELETE FROM staged_drop s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no)
