-- Settlements at a price that costs more than the service fee, compared with the price of that moment. The exposure limit bounds
-- their sum within a window, per asset that is taken and per asset that is paid.
create table old_price (
  swap_id uuid primary key references swap (id),
  taken_asset text not null,
  paid_asset text not null,
  -- The value of the deposits, in 10^-18 dollars.
  usd numeric(78, 0) not null check (usd >= 0),
  at timestamptz not null
);
create index old_price_at on old_price (at);
