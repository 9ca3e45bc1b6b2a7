-- What is open now: the parcels that wait, and when each one counts as stuck.
CREATE MATERIALIZED VIEW waiting AS
SELECT Depot, Parcel, T_time AS came, decided_by_time AS stuck_by
FROM answers
WHERE status = 'open'
