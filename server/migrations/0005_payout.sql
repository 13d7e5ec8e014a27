-- Payouts: every transaction that a wallet of ours sends. The constraints here keep money from being paid twice, whatever the code does.

-- `output`: what a swap delivers. `refuel`: native tokens for the recipient's fees. `refund`: a deposit that cannot be delivered.
-- `return`: an excess, or an unmatched deposit. `sweep`: from deposit addresses to the treasury. `relay`: makes a deposit that its owner
-- only signed. `admin`: changes a contract of ours. `reward`: pays a campaign's rewards.
create table payout (
  id uuid primary key default gen_random_uuid(),
  -- Null for kinds that belong to no swap.
  swap_id uuid references swap,
  -- Its number among the payouts of its swap.
  number integer not null,
  kind text not null check (kind in ('output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward')),
  -- The deposit that a refund or return gives back.
  deposit_id uuid references deposit,
  -- A deposit may go back in several returns: the first has 0, each further one follows on the one before.
  sequence smallint not null default 0,
  -- For rewards: the campaign (0006_reward.sql), and the last period that it pays.
  campaign text,
  period integer,
  network text not null,
  -- The wallet that pays.
  account text not null,
  token text not null,
  units numeric(78, 0) not null,
  -- What a refund keeps of its deposit for the network fee.
  kept_units numeric(78, 0) not null default 0 check (kept_units >= 0),
  to_address text not null,
  -- `open`: to be paid, or on its way. `confirmed`: in a block that is deep enough. `abandoned`: voided, it will not be paid.
  state text not null check (state in ('open', 'confirmed', 'abandoned')),
  -- It has a replay slot: a signed transaction may exist.
  started boolean not null default false,
  -- When it got its slot, by the database's clock.
  started_at timestamptz,
  -- Equal to the settlement of its swap, see the foreign key below.
  settlement text generated always as (case when state <> 'abandoned' and kind in ('output', 'refund') then kind end) stored,
  tx_hash text,
  block_number numeric(78, 0),
  fee_units numeric(78, 0),
  -- The class of its open hold (0011_hold.sql), a projection for the indexes below: a `rule` or a person (without a deadline), `trouble`
  -- (retried until a deadline), or `undone` (an operator decides). Since when, without a break, a hold of that class is open.
  held_by text,
  held_since timestamptz,
  -- When the jobs of other payouts take up its unsent slot again, while it is in trouble.
  look_again_at timestamptz,
  rejected_at timestamptz,
  -- The chain itself refused it. Only that counts against the address of a refund: an outage or a pause proves nothing about it.
  refused boolean not null default false,
  -- The address was given again after the chain refused it or a person rejected it: that no longer counts against the address.
  lifted boolean not null default false,
  -- How often it failed in its block, and when last. A recipient whose code does that is not paid for a while.
  reverts integer not null default 0,
  failed_at timestamptz,
  -- It was confirmed, and a deep reorg undid that: transaction, block and evidence. It waits for an operator.
  undone jsonb,
  -- The same after the operator decided to pay it again, until a transaction is signed for it.
  was_undone jsonb,
  -- After a restore: the transaction that an operator said had paid it.
  made_in text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  confirmed_at timestamptz,
  constraint payout_units_check check (units > 0 or (kind = 'admin' and units = 0)),
  constraint payout_has_swap check (swap_id is not null or kind in ('sweep', 'return', 'relay', 'admin', 'reward')),
  constraint payout_refund_has_deposit check ((kind in ('refund', 'return')) = (deposit_id is not null)),
  constraint payout_sequence check (sequence = 0 or (sequence > 0 and kind = 'return')),
  -- A reward belongs to no swap, so that it can change none.
  constraint payout_reward_swap check (kind <> 'reward' or swap_id is null),
  constraint payout_reward_campaign check (
    (kind = 'reward') = (campaign is not null) and (kind = 'reward') = (period is not null)),
  constraint payout_held_by check (held_by in ('rule', 'trouble', 'undone')),
  -- A payout that may be on its way is never voided.
  constraint payout_started_stays check (state <> 'abandoned' or not started),
  -- An undone payout gets no slot before an operator has decided.
  constraint payout_undone check (undone is null or (state = 'open' and not started)),
  -- A payout that an operator marked as paid gets no slot.
  constraint payout_made_in check (made_in is null or not started),
  -- A swap has an output or refunds, never both: each must equal the one settlement of the swap.
  foreign key (swap_id, settlement) references swap (id, settlement)
);

-- One output and one refuel per swap, one refund per deposit, one return per deposit and sequence.
create unique index payout_output on payout (swap_id) where kind = 'output' and state <> 'abandoned';
create unique index payout_refuel on payout (swap_id) where kind = 'refuel' and state <> 'abandoned';
create unique index payout_refund on payout (deposit_id, kind, sequence) where deposit_id is not null and state <> 'abandoned';
create unique index payout_swap on payout (swap_id, number);
-- One reward payout per campaign, address and period.
create unique index payout_reward on payout (campaign, to_address, period)
  where kind = 'reward' and state <> 'abandoned';
create index payout_reward_open on payout (campaign) where kind = 'reward' and state = 'open';

create index payout_tx on payout (lower(tx_hash));
create index payout_made_in on payout (made_in) where made_in is not null;

-- Open payouts: by token; not held, to be counted; without a job, to be queued again; those that may share a transaction.
create index payout_open on payout (network, token) where state = 'open';
create index payout_under_way on payout (network) where state = 'open' and held_by is null;
create index payout_forgotten on payout (id)
  where state = 'open' and (held_by is null or held_by = 'trouble') and (sent_at is null or not started);
create index payout_beside on payout (network, account, created_at)
  where state = 'open' and not started and (held_by is null or held_by = 'trouble');
-- The cap on payouts in flight per recipient, and recipients that failed recently.
create index payout_open_to on payout (network, to_address) where state = 'open' and started;
create index payout_failed on payout (network, to_address, failed_at) where failed_at is not null;
-- The outflow of the last hour and day, summed before every payout from this index alone.
create index payout_started on payout (started_at) include (network, kind, token, units) where started;
-- What was paid after a balance was read, to be subtracted from it; and what left a wallet above a block.
create index payout_confirmed on payout (network, confirmed_at) where state = 'confirmed';
create index payout_place on payout (network, account, token, block_number) where state = 'confirmed';

-- Deposits and sweeps refer to each other.
alter table deposit add foreign key (swept_by) references payout;
-- A sweep collects at least one deposit. Checked at commit: the deposits are marked after the sweep is inserted.
create function sweep_has_sources() returns trigger language plpgsql as $$
begin
  if not exists (select from deposit where swept_by = new.id) then
    raise exception 'sweep % takes nothing', new.id using errcode = 'check_violation', constraint = 'sweep_has_sources';
  end if;
  return null;
end $$;
create constraint trigger sweep_has_sources after insert on payout
  deferrable initially deferred for each row when (new.kind = 'sweep') execute function sweep_has_sources();

-- What a sweep was booked with per address, so that it can be reversed to the unit.
create table sweep_source (
  payout_id uuid not null references payout,
  address text not null,
  units numeric(78, 0) not null check (units > 0),
  primary key (payout_id, address)
);

-- What a relay or an admin payout calls, in the chain family's own format.
create table prepared_call (
  payout_id uuid primary key references payout,
  call text not null
);

-- Signatures of operators for a payout, if the signer demands them. Each is valid for one slot: if the payout needs another slot, it is
-- approved again under the next attempt.
create table payout_approval (
  payout_id uuid not null references payout (id),
  attempt integer not null check (attempt > 0),
  approver text not null,
  signature text not null,
  at timestamptz not null,
  primary key (payout_id, attempt, approver)
);

-- Deposits that their owner only signs for; a relay payout makes them.
create table gasless_authorization (
  id uuid primary key default gen_random_uuid(),
  swap_id uuid not null references swap,
  network text not null,
  token text not null,
  owner text not null,
  -- The token's contract accepts it once.
  nonce text not null,
  signature text not null,
  valid_before timestamptz not null,
  status text not null check (status in ('initiated', 'completed', 'expired', 'insufficient', 'rejected')),
  reason text,
  -- The relay; null if the authorization was refused on arrival.
  payout_id uuid unique references payout,
  created_at timestamptz not null default now(),
  check (payout_id is not null or status in ('insufficient', 'rejected'))
);
-- A swap uses one authorization, and an authorization is used for one swap.
create unique index gasless_authorization_swap on gasless_authorization (swap_id)
  where status in ('initiated', 'completed');
create unique index gasless_authorization_nonce on gasless_authorization (network, token, owner, nonce)
  where status in ('initiated', 'completed');
-- Only the last refused one of a swap is stored: anyone may try as often as they like.
create unique index gasless_authorization_refused on gasless_authorization (swap_id) where payout_id is null;
create index gasless_authorization_newest on gasless_authorization (swap_id, created_at desc);
-- Limits on failed relays, per owner and token and per network: they cost us fees.
create index gasless_authorization_owner on gasless_authorization (network, token, owner, created_at)
  where payout_id is not null;
create index gasless_authorization_network on gasless_authorization (network, created_at) where payout_id is not null;

-- Replay slots. A slot is what makes a transaction valid only once: a nonce, a set of UTXOs, a query id. All attempts of a slot exclude each
-- other on the chain, so a payout that is signed only within its slot cannot be paid twice.

-- Who may hand out slots of a wallet: only the holder of the newest fencing token.
create table signing_account (
  network text not null,
  account text not null,
  fence bigint not null default 0,
  primary key (network, account)
);

create table slot (
  id bigint generated always as identity primary key,
  network text not null,
  account text not null,
  -- The nonce, the outpoints or the query id.
  parts text[] not null,
  -- `open`: an attempt may be mined. `landed`: one attempt is in a final block. `dead`: it is proven that none can be mined.
  state text not null check (state in ('open', 'landed', 'dead')),
  created_at timestamptz not null default now(),
  -- The proof for `dead`: the transaction that used the slot, its block, and why nothing else of it can be mined.
  evidence jsonb,
  -- Since when the slot is to be cancelled by a transaction that pays nothing.
  cancel_at timestamptz
);
create index slot_open on slot (network, account) where state = 'open';
create index slot_newest on slot (network, account, id);

-- A nonce, a UTXO or a query id is handed out once.
create table slot_part (
  network text not null,
  account text not null,
  part text not null,
  slot_id bigint not null references slot on delete cascade,
  primary key (network, account, part)
);

-- The payouts of a slot.
create table slot_payout (
  slot_id bigint not null references slot on delete cascade,
  payout_id uuid not null references payout,
  live boolean not null default true,
  primary key (slot_id, payout_id)
);
-- A payout has one live slot at a time.
create unique index slot_payout_live on slot_payout (payout_id) where live;
-- Its earlier slots, for its history.
create index slot_payout_before on slot_payout (payout_id) where not live;

-- Signed transactions, stored before they are sent.
create table attempt (
  slot_id bigint not null references slot,
  number integer not null,
  hash text not null,
  bytes text not null,
  -- It pays nothing: it was signed to cancel the slot.
  cancels boolean not null default false,
  -- The most that it can cost, in native units; null if the chain family does not say.
  fee_ceiling numeric(78, 0),
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (slot_id, number)
);
create index attempt_hash on attempt (lower(hash));

-- Liquidity reservations: how much of a token the open payouts will take. It is the sum below plus the changes that are not folded into it
-- yet. A change is a row of its own, written with the payout, so that transactions that order and close payouts never wait for each
-- other; a background task folds the rows into the sums.
create table reservation (
  network text not null,
  token text not null,
  units numeric(78, 0) not null,
  primary key (network, token)
);
create table reservation_change (
  id bigint generated always as identity primary key,
  network text not null,
  token text not null,
  units numeric(78, 0) not null
);
-- Sweeps stay inside the service, and calls pay nothing: they reserve nothing.
create function record_reservation() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state = 'open' and old.kind not in ('sweep', 'relay', 'admin') then
    insert into reservation_change (network, token, units) values (old.network, old.token, -old.units);
  end if;
  if tg_op <> 'DELETE' and new.state = 'open' and new.kind not in ('sweep', 'relay', 'admin') then
    insert into reservation_change (network, token, units) values (new.network, new.token, new.units);
  end if;
  return null;
end $$;
create trigger payout_reserved after insert on payout
  for each row when (new.state = 'open') execute function record_reservation();
create trigger payout_reservation_changed after update on payout
  for each row when ((old.state, old.kind, old.network, old.token, old.units)
    is distinct from (new.state, new.kind, new.network, new.token, new.units)) execute function record_reservation();
create trigger payout_reservation_dropped after delete on payout
  for each row when (old.state = 'open') execute function record_reservation();
