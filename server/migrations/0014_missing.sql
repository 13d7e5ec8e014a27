-- A deposit that its node no longer knows, and where the scan stood when that was first so. Null while it is found.
alter table deposit add column missing_from numeric(78, 0);

-- A wallet in motion that held less at the last look than all that may have left it explains.
alter table reconciliation add column short boolean not null default false;

-- Where the scan stood when the difference that the last look found was first found.
alter table reconciliation add column since_block numeric(78, 0);
