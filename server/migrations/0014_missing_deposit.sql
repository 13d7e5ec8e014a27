-- A deposit that its node no longer knows, and where the scan stood when that was first so. Null while it is found.
alter table deposit add column missing_from numeric(78, 0);
