-- What one person alone gave away within a day, for dual control: parts of a large sum count together.

create table given_away (
  id bigint generated always as identity primary key,
  -- The deposit or payout that was decided about; a later decision replaces an earlier one. Null if it is not known yet.
  object text unique,
  command text not null,
  actor text not null,
  usd double precision not null check (usd >= 0),
  at timestamptz not null
);

-- Rows older than a day are deleted with the next one.
create index given_away_at on given_away (at);
