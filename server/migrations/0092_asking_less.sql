-- A deposit that is known by its block, not by a transaction that could land again in another one: it counts when that
-- block is final.
alter table deposit add column final_only boolean not null default false;

-- Deposit addresses that coins may well come to are looked at with every block: those of open swaps, and of those closed of late.
create index swap_expecting on swap (source_network, receiver) where uses_deposit_address and closed_at is null;
create index swap_expected on swap (source_network, closed_at desc) include (receiver)
  where uses_deposit_address and closed_at is not null;
-- Whether somebody waits for a network: then it is read at its own pace, else in larger steps.
create index swap_waiting_from on swap (source_network) where status = 'user_transfer_pending';

-- What one process has asked a chain for all of them: fees, what the treasury holds, what stands there.
create table market_reading (
  network text primary key,
  fees jsonb not null,
  balances jsonb not null,
  -- In the family's own words.
  survey text,
  at timestamptz not null
);
