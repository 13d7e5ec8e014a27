-- The signing journal is outside the database, so that a database that went back in time cannot take back what was signed. These tables
-- tie the two together.

-- One row per start of a process, never deleted. Its counter rises with every slot and every heartbeat: a database in which a counter is
-- lower than the journal or the process has seen has gone back in time.
create table writer (
  id uuid primary key,
  n bigint not null default 0,
  -- It signs: it holds the journal's lock, or asks a signer process.
  signs boolean not null,
  -- The branch of deposit addresses that this process hands out, and the last index of it.
  branch integer unique,
  last_index integer not null default 0,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  -- It was silent for an hour, or another process signs now: it may not sign any more.
  ended_at timestamptz
);
create index writer_live on writer (id) where ended_at is null;

create table journal (
  id uuid primary key,
  -- Stays the same when a backup is restored.
  database_id uuid not null,
  one boolean not null unique default true check (one),
  -- Why nothing is signed; `running` if nothing stops it.
  state text not null default 'running' check (state in ('running', 'rolled_back', 'journal_behind', 'without_journal')),
  -- All lines up to this one are stored as attempts.
  adopted_to bigint not null default 0
);

-- The line of the journal that an attempt was signed in.
alter table attempt add journal_n bigint unique, add journal_hash text;

-- Adds a code to the list of the constraint, whatever other files have added to it.
do $$
declare
  listed text;
begin
  select pg_get_constraintdef(oid) into strict listed from pg_constraint
    where conrelid = 'hold'::regclass and conname = 'hold_code_check';
  alter table hold drop constraint hold_code_check;
  execute 'alter table hold add constraint hold_code_check '
    || replace(listed, 'ARRAY[', 'ARRAY[''signing_stopped''::text, ');
end $$;
