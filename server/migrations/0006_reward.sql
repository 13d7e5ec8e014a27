-- Rewards: a completed swap earns its recipient a share of the fee, paid out once per period of the campaign.

-- The token never changes: rewards are counted in it.
create table campaign (
  name text primary key,
  -- What clients of the API know it by.
  number integer generated always as identity,
  network text not null,
  token text not null,
  budget_units numeric(78, 0) not null,
  -- The sum of its rewards, and how much of it is in payouts that were not voided.
  earned_units numeric(78, 0) not null default 0,
  ordered_units numeric(78, 0) not null default 0 check (ordered_units >= 0),
  constraint campaign_number unique (number),
  -- A campaign never gives more than its budget, and never pays what was not earned.
  constraint campaign_budget check (earned_units <= budget_units),
  constraint campaign_ordered check (ordered_units <= earned_units)
);
alter table payout add foreign key (campaign) references campaign;

-- Written in the transaction that completes the swap.
create table reward (
  campaign text not null,
  swap_id uuid not null references swap,
  address text not null,
  -- The period of the campaign that it belongs to, from 0.
  period integer not null,
  units numeric(78, 0) not null check (units > 0),
  usd numeric(78, 0) not null,
  at timestamptz not null,
  -- A reward is in one payout at a time; null until its period is over.
  payout_id uuid references payout,
  -- A swap earns once per campaign, however often it is completed.
  primary key (campaign, swap_id)
);
create index reward_address on reward (campaign, lower(address), at desc);
create index reward_unpaid on reward (campaign, address) where payout_id is null;
create index reward_ripe on reward (campaign, period) where payout_id is null;
create index reward_payout on reward (payout_id) where payout_id is not null;
