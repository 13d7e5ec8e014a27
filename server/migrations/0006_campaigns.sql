-- Rewards of campaigns: a share of a completed swap's fee, noted in the transaction that completes it.
create table reward (
  campaign text not null,
  -- A swap earns once in a campaign, however often it is told that it is completed.
  swap_id uuid not null references swap,
  address text not null,
  -- Which stretch of the campaign it counts for, from 0.
  period integer not null,
  units numeric(78, 0) not null check (units > 0),
  usd numeric(78, 0) not null,
  at timestamptz not null,
  primary key (campaign, swap_id)
);
create index reward_address on reward (campaign, lower(address), at desc);
