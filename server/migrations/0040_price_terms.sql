-- How long a price holds. A deposit is held against the quote's term by its block's own time, where the chain tells it; and a
-- swap whose money is worth less today than was agreed to remembers since when, so that the price is asked again for a while.

alter table deposit add column block_at timestamptz;
alter table swap add column degraded_at timestamptz;
