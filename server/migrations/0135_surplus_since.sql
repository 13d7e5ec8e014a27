-- When coins that nobody announced were first found: at a deposit address they are waited for by the clock as well.
alter table reconciliation add column since_at timestamptz;
