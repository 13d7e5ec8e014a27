-- Rewards are paid: what an address earned in a campaign goes out in one payout a period, like any other payout.

-- A campaign as the books know it. Its token never changes: what was earned is counted in it.
create table campaign (
  name text primary key,
  network text not null,
  token text not null,
  budget_units numeric(78, 0) not null,
  -- The sum of its rewards, and how much of it stands in payouts that were not given up.
  earned_units numeric(78, 0) not null default 0,
  ordered_units numeric(78, 0) not null default 0 check (ordered_units >= 0),
  constraint campaign_budget check (earned_units <= budget_units),
  constraint campaign_ordered check (ordered_units <= earned_units)
);

alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check
  check (kind in ('output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward'));
alter table payout drop constraint payout_has_swap;
alter table payout add constraint payout_has_swap check (
  swap_id is not null or kind in ('sweep', 'return', 'relay', 'admin', 'reward'));
-- A reward is paid beside the swaps that earned it: it belongs to none, so that it can change none.
alter table payout
  add column campaign text references campaign,
  -- Up to which stretch of the campaign it pays.
  add column period integer,
  add constraint payout_reward_swap check (kind <> 'reward' or swap_id is null),
  add constraint payout_reward_campaign check (
    (kind = 'reward') = (campaign is not null) and (kind = 'reward') = (period is not null));
-- One payout for an address and a period.
create unique index payout_reward on payout (campaign, to_address, period)
  where kind = 'reward' and state <> 'abandoned';

-- A reward stands in one payout at a time; null while it waits for its period to end.
alter table reward add column payout_id uuid references payout;
create index reward_unpaid on reward (campaign, address) where payout_id is null;
create index reward_payout on reward (payout_id) where payout_id is not null;
