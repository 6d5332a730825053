-- Return whether there are changed counts to propagate, and whether a stale file is to be built now: not one whose delay
-- has not ended, unless the delay is longer than possible (cap_delays.sql). Reads: changed_count, stale_file.
SELECT
    EXISTS (SELECT FROM changed_count),
    EXISTS (
        SELECT FROM stale_file WHERE since <= now() OR since > now() + make_interval(secs => %(delay_s)s)
    );
