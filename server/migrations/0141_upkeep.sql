-- What a wallet was excused for losing by itself: so much a day, and so much once. A thief who takes as much at every look is none.
create table upkeep_spent (
  network text not null,
  account text not null,
  -- Of the day's share at that time; it is won back evenly within a day.
  daily_units numeric(78, 0) not null check (daily_units >= 0),
  at timestamptz not null,
  -- Ever.
  once_units numeric(78, 0) not null check (once_units >= 0),
  primary key (network, account)
);
