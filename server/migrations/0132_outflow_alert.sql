-- When somebody was last told that the outflow limit of a network is reached: once, not for every payout that it holds.
create table outflow_alert (
  network text primary key,
  at timestamptz not null
);
