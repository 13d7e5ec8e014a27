-- People who act on the service, each with a role and the public half of an ed25519 key that signs what they do. The sandbox
-- has one without a key, whom only the sandbox itself puts here.
create table operator (
  name text primary key check (name ~ '^[a-z][a-z0-9._-]{0,62}$'),
  role text not null check (role in ('viewer', 'support', 'operator', 'admin')),
  public_key text unique,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  check (public_key is not null or name = 'sandbox')
);

-- Each entry names the one before it by its hash, so that none can be changed, put in or taken out between two others unseen.
-- Entries of the time before have none.
alter table audit_log
  add column previous text,
  add column hash text,
  add column signature text,
  add constraint audit_chained check ((previous is null) = (hash is null));
-- No entry has two successors.
create unique index audit_previous on audit_log (previous) where previous is not null;
