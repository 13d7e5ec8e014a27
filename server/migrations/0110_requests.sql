-- What one person asks for and another must confirm: the command in its own words, what it was about at that moment, and the
-- answer. Nobody confirms what they asked for themself.
create table request (
  id uuid primary key default gen_random_uuid(),
  -- Noun and verb, as on the command line.
  command text not null,
  words jsonb not null,
  -- What stood there when it was asked for: where that has changed, it is asked for anew.
  seen text not null,
  -- Dollars, as they were then; null where nobody knows or it is not about an amount.
  usd double precision,
  reason text,
  asked_by text not null,
  asked_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused')),
  settled_by text,
  settled_at timestamptz,
  check ((outcome is null) = (settled_by is null) and (outcome is null) = (settled_at is null)),
  constraint request_by_another check (outcome is distinct from 'confirmed' or settled_by <> asked_by)
);
create index request_open on request (asked_at) where outcome is null;
