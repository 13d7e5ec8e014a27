-- What operators signed for a payout with keys of their own, for a signer that demands it. Each is good for one slot: a payout
-- that needs another slot is approved again, under the next number.
create table payout_approval (
  payout_id uuid not null references payout (id),
  attempt integer not null check (attempt > 0),
  approver text not null,
  signature text not null,
  at timestamptz not null,
  primary key (payout_id, attempt, approver)
);
