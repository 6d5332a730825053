-- Room for what the days that are left are told from: whose sightings these are, and the places that matter.
-- Of this session alone, until dropped. Reads staged_upload's shape.
CREATE TEMPORARY TABLE left_upload (LIKE pg_temp.staged_upload);
CREATE TEMPORARY TABLE wanted (subject bigint, zone int, floor int)
