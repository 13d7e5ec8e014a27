-- Where a person wants an unmatched deposit to go: one word a deposit, the newest, until a payout is ordered by it.
create table return_decision (
  deposit_id uuid primary key references deposit on delete cascade,
  to_address text not null,
  at timestamptz not null,
  -- Why the service does not send it there: another word is waited for.
  refused text
);
