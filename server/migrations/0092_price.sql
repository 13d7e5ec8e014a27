-- The last price of each asset, for operator commands: they run without the price sources of the service.
create table asset_price (
  -- The token's group, or its symbol.
  name text primary key,
  -- In 10^-18 dollars per whole token.
  usd numeric(78, 0) not null check (usd > 0),
  at timestamptz not null
);
