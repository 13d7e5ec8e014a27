-- What every head and every second asks for is found without passing by what is over, held or lost: each question has an
-- index of exactly the rows that it is about, and what is done leaves it.

-- Money in blocks that a reorg may still take back, and in mempools.
drop index deposit_open;
create index deposit_unfinal on deposit (network, state, block_number) where not final and state in ('seen', 'confirmed');
create index deposit_waiting on deposit (network, id) where not final and state = 'seen' and block_number is null;
-- By the head at which it is deep enough.
create index deposit_ripe on deposit (network, (block_number + confirmations_wanted::numeric))
  where not final and state = 'seen';
create index deposit_gone on deposit (network, greatest(block_number, missing_from))
  where not final and state = 'gone' and not replaced;
create index deposit_lost on deposit (network, id) where not final and state = 'lost' and not replaced;
create index deposit_lost_at on deposit (network, to_address, token) where state = 'lost' and not replaced;
-- What came to a wallet above a block, of one token or of any.
drop index deposit_arrived;
create index deposit_arrived on deposit (network, to_address, block_number, token);

-- Open payouts that no rule and no person holds: those whose job may be lost, and those that may share a transfer.
create index payout_forgotten on payout (id)
  where state = 'open' and (held_by is null or held_by = 'trouble') and (sent_at is null or not started);
create index payout_beside on payout (network, account, created_at)
  where state = 'open' and not started and (held_by is null or held_by = 'trouble');
create index payout_reward_open on payout (campaign) where kind = 'reward' and state = 'open';
create index reward_ripe on reward (campaign, period) where payout_id is null;

-- When its slot was handed out, the same moment as the slot's own: what went out in an hour or a day is read off one index.
alter table payout add column started_at timestamptz;
update payout set started_at = slot.created_at from slot_payout join slot on slot.id = slot_payout.slot_id
  where slot_payout.payout_id = payout.id and slot_payout.live and payout.started
    and slot.created_at > now() - interval '2 days';
create index payout_started on payout (started_at) include (network, kind, token, units) where started;

-- Deposit addresses are compared in turn: those that were asked about longest ago come first.
alter table ledger_balance add column asked_at timestamptz;
create index ledger_balance_asked on ledger_balance (network, token, asked_at nulls first, owner)
  where account = 'wallet' and units <> 0;

-- The newest of an account, also of one that has been quiet for long.
create index slot_newest on slot (network, account, id);
-- What was told long ago and is to be forgotten.
create index webhook_delivery_done on webhook_delivery (created_at)
  where delivered_at is not null or failed_at is not null;

-- Each of these says what another one says, or what nobody asks any more.
drop index payout_recent;
drop index slot_created;
drop index slot_recent;
drop index payout_outflow;
