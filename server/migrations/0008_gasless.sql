-- Deposits through our own contract, and deposits that their owner only signs for.

alter table swap add column uses_depository boolean not null default false;
alter table swap add column uses_gasless boolean not null default false;

-- A relay makes a deposit for its owner and an admin call changes a contract of ours. Like a sweep they belong to no
-- swap's payouts and promise nothing; they share the wallet's slots, so that one nonce is never used twice.
alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check
  check (kind in ('output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin'));
alter table payout drop constraint payout_check;
alter table payout add constraint payout_swap_check check ((kind in ('sweep', 'relay', 'admin')) = (swap_id is null));
alter table payout drop constraint payout_units_check;
alter table payout add constraint payout_units_check check (units > 0 or (kind = 'admin' and units = 0));

-- What a relay or an admin call sends, in the words of its family.
create table prepared_call (
  payout_id uuid primary key references payout,
  call text not null
);

create table gasless_authorization (
  id uuid primary key default gen_random_uuid(),
  swap_id uuid not null references swap,
  network text not null,
  token text not null,
  owner text not null,
  -- What the token's contract takes only once.
  nonce text not null,
  signature text not null,
  valid_before timestamptz not null,
  status text not null check (status in ('initiated', 'completed', 'expired', 'insufficient', 'rejected')),
  reason text,
  -- The relay; null where it was refused at the door.
  payout_id uuid unique references payout,
  created_at timestamptz not null default now(),
  check (payout_id is not null or status in ('insufficient', 'rejected'))
);
-- One signature is used for a swap, and for one swap only.
create unique index gasless_authorization_swap on gasless_authorization (swap_id)
  where status in ('initiated', 'completed');
create unique index gasless_authorization_nonce on gasless_authorization (network, token, owner, nonce)
  where status in ('initiated', 'completed');
-- Of those refused at the door the last one is remembered: strangers may try as often as they like.
create unique index gasless_authorization_refused on gasless_authorization (swap_id) where payout_id is null;
create index gasless_authorization_newest on gasless_authorization (swap_id, created_at desc);
