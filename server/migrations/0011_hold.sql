-- Holds: why a payout, a deposit or a wallet waits, as a code with parameters; and what operators decided about it.
-- The codes, their parameters and their classes: core/src/swap/hold.ts. Text is rendered from them, never stored to be compared.
-- A wallet is halted, and signs nothing, while one of its holds is open.
create table hold (
  -- People name it in their answers. Random, so that after a restore from a backup no id is given out twice.
  id uuid primary key default gen_random_uuid(),
  -- The order in which holds were opened.
  sequence bigint generated always as identity,
  -- The subject: a payout, a deposit, or the wallet `account` on `network`.
  payout_id uuid references payout,
  deposit_id uuid references deposit,
  network text,
  account text,
  code text not null check (code in (
    'unknown_outflow', 'unknown_pending', 'wallet_halted', 'shortfall', 'shortfall_cleared', 'operator', 'paused',
    'outflow_limit', 'no_price', 'approval_needed', 'screened', 'deposit_reverifying', 'deposit_lost',
    'deposit_unlocatable', 'reward_unearned', 'recipient_cap', 'restore_doubt', 'restore_paid', 'payout_reorged',
    'signer_refused', 'fee_above_limit', 'trouble')),
  params jsonb not null,
  -- The text of the error behind it. For people: nothing compares it.
  detail text,
  needs_person boolean not null,
  opened_at timestamptz not null,
  -- When a payout that a rule holds is checked again, in case nothing wakes it before.
  recheck_at timestamptz,
  closed_at timestamptz,
  check (num_nonnulls(payout_id, deposit_id, account) = 1),
  check ((network is null) = (account is null)),
  check (account is null or code in ('unknown_outflow', 'shortfall', 'shortfall_cleared', 'operator'))
);
-- One open row per subject, code and parameters. jsonb has one text per value, whatever order its keys came in.
create unique index hold_open_payout on hold (payout_id, code, md5(params::text))
  where closed_at is null and payout_id is not null;
create unique index hold_open_deposit on hold (deposit_id, code, md5(params::text))
  where closed_at is null and deposit_id is not null;
create unique index hold_open_account on hold (network, account, code, md5(params::text))
  where closed_at is null and account is not null;
create index hold_of_payout on hold (payout_id) where payout_id is not null;
-- Open holds of one kind, of which there are few even if many payouts wait.
create index hold_open_code on hold (code) where closed_at is null and payout_id is not null;
create index hold_recheck on hold (recheck_at) where closed_at is null and payout_id is not null;

-- An operator's answer. It names the hold that was shown, or a slot and the number of its attempts (cancel).
create table decision (
  id bigint generated always as identity primary key,
  hold_id uuid references hold,
  -- No reference: a slot in which nothing was signed is deleted when it is released.
  slot_id bigint,
  attempts integer,
  answer text not null check (answer in ('approve', 'reject', 'pay_again', 'was_paid', 'release', 'cancel')),
  params jsonb not null default '{}',
  by text not null,
  -- The dual control request that a second person confirmed.
  request_id uuid references request,
  at timestamptz not null,
  check (num_nonnulls(hold_id, slot_id) = 1),
  check ((slot_id is null) = (attempts is null))
);
create index decision_on_hold on decision (hold_id) where hold_id is not null;

create function decision_is_final() returns trigger language plpgsql as $$ begin
  raise exception 'decisions are append-only';
end $$;
create trigger decision_append_only before update or delete on decision
  for each row execute function decision_is_final();

-- `held_by` and `held_since` stay as a projection of the open hold, because indexes over open payouts need them. Whatever clears
-- them, or closes the payout, closes its holds.
create function close_payout_holds() returns trigger language plpgsql as $$ begin
  update hold set closed_at = now() where payout_id = new.id and closed_at is null;
  return null;
end $$;
create trigger payout_holds_close after update of held_by, state on payout for each row
  when ((new.held_by is null and old.held_by is not null) or (new.state <> 'open' and old.state = 'open'))
  execute function close_payout_holds();
