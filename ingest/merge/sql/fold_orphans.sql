-- Drop the rows of uploads that were left out. Writes staged_*; staged_position is
-- packed, and its orphans are left out when it is unpacked. Under the locale's fold lock.
DELETE FROM staged_creature s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no);
DELETE FROM staged_loot s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no);
DELETE FROM staged_drop s WHERE NOT EXISTS (SELECT FROM staged_upload u WHERE u.no = s.no)
