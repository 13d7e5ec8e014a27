-- When a payout failed in its block, the last time: whoever's code does that to us is not paid into for a while. They are few.
alter table payout add column failed_at timestamptz;
create index payout_failed on payout (network, to_address, failed_at) where failed_at is not null;
