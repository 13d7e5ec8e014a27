-- The fees of the last half hour, oldest first: a single reading far above them sets the price of no refund.
alter table market_snapshot add column recent_fees jsonb not null default '[]';
