-- Working tables of a fold: gone with its transaction, seen by nobody else.
-- What an upload brought: the smallest `no` of a fold brings what is new.
CREATE TEMPORARY TABLE brought (
    no int, new_mobs int, new_positions int, positions int, new_drops int
) ON COMMIT DROP;
-- Every coordinate of the touched places, old and new, grouped; first_no is null where it was known before.
CREATE TEMPORARY TABLE folded_position (
    subject bigint, zone int, floor int, xy int, sightings int, uploaders int, first_seen int, last_seen int,
    first_no int
) ON COMMIT DROP;
CREATE TEMPORARY TABLE folded_seen_by (
    subject bigint, zone int, floor int, pair bigint
) ON COMMIT DROP;
-- Names whose owner among the creatures may have changed.
CREATE TEMPORARY TABLE touched_name (name text) ON COMMIT DROP
