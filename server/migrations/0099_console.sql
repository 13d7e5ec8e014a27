-- People at the console: beside their key, which signs on the command line, a password and a code. A link that is good once
-- lets somebody set them. Passwords are stretched, links and sessions are hashes;
-- the secret of the codes stands here as it is, and is worth nothing without the password.
alter table operator
  add column password text,
  add column code_secret text,
  -- A code is good once: the last step of thirty seconds whose code was taken.
  add column code_step bigint,
  add column invite_hash text unique,
  -- Shown to whoever opens the link; it becomes the code's secret when they accept.
  add column invite_secret text,
  add column invite_until timestamptz,
  add constraint operator_invited check ((invite_hash is null) = (invite_until is null));

create table console_session (
  hash text primary key,
  operator text not null references operator (name),
  -- Goes with every change: a page of somebody else does not know it.
  token text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- When the password was given last.
  proven_at timestamptz not null
);
create index console_session_operator on console_session (operator);

-- Tries that failed, by name and by address, for as long as they count.
create table login_failure (
  id bigint generated always as identity primary key,
  name text not null,
  address text not null,
  at timestamptz not null
);
create index login_failure_name on login_failure (name, at);
create index login_failure_address on login_failure (address, at);
