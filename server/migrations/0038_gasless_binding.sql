-- A permit (EIP-2612) does not name a swap. These two tables bind it to one.

-- The swap that a nonce of an owner belongs to, for good once its relay was signed: if the relay reverts, the signature is public and the
-- nonce is unused. The row is deleted only if the relay ended without a signed transaction.
create table gasless_nonce (
  network text not null,
  token text not null,
  owner text not null,
  nonce text not null,
  swap_id uuid not null references swap,
  primary key (network, token, owner, nonce)
);
insert into gasless_nonce (network, token, owner, nonce, swap_id)
  select distinct on (network, token, owner, nonce) network, token, owner, nonce, swap_id
  from gasless_authorization where payout_id is not null
  order by network, token, owner, nonce, status in ('initiated', 'completed') desc, created_at;

-- Deadlines of a swap are `phase` seconds after a quarter of an hour. No two swaps of an owner and token that may be signed at the same time
-- share a phase, so no two of them ask for the same permit.
create table gasless_deadline (
  network text not null,
  token text not null,
  owner text not null,
  phase integer not null check (phase between 0 and 899),
  -- Not a reference: the claim is made while the swap is being stored.
  swap_id uuid not null unique,
  -- From then on the phase is free.
  until timestamptz not null,
  primary key (network, token, owner, phase)
);
