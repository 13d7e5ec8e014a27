-- Deposit addresses found emptied since a restore whose sweeps were forgotten: some chains take the fee out of what is swept, and
-- what they cost is booked from what is missing then.
alter table restoration add column emptied integer not null default 0 check (emptied >= 0);
