-- Deposits that were lost after something was paid for them, by where they stood last: those within reach of a reorg are few,
-- however many were lost over the years.
create index deposit_lost_block on deposit (network, block_number) where not final and state = 'lost' and not replaced;
