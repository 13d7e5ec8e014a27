-- Operators and what they decide: sign-in, dual control, audit log, kill switches, risk limits.

-- Each operator has a role and an ed25519 key that signs their commands. For the console they also have a password and a one-time code
-- (TOTP); a single-use link lets them set these up.
create table operator (
  name text primary key check (name ~ '^[a-z][a-z0-9._-]{0,62}$'),
  role text not null check (role in ('viewer', 'support', 'operator', 'admin')),
  public_key text unique,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- A slow hash.
  password text,
  -- The secret of the one-time codes, as it is; useless without the password.
  code_secret text,
  -- A code is valid once: the last 30-second step whose code was accepted.
  code_step bigint,
  invite_hash text unique,
  -- Shown to the person who opens the link; it becomes `code_secret` when they accept.
  invite_secret text,
  invite_until timestamptz,
  -- The operator created the link with their own key. Any other link is accepted with a signature of that key.
  invite_proven boolean not null default false,
  -- The first admin and the second: there was no operator yet who could confirm who they are.
  is_founder boolean not null default false,
  constraint operator_invited check ((invite_hash is null) = (invite_until is null)),
  -- Only the sandbox adds an operator without a key.
  constraint operator_has_key check (public_key is not null or name = 'sandbox')
);

-- Who added whom. Under dual control the second person must not be under the control of the first, nor both under that of a third.
create table operator_voucher (
  operator text not null references operator (name),
  voucher text not null,
  at timestamptz not null default now(),
  primary key (operator, voucher),
  constraint voucher_is_another check (voucher <> operator)
);

create table console_session (
  hash text primary key,
  operator text not null references operator (name),
  -- The CSRF token of the session.
  token text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- When the password was last entered.
  proven_at timestamptz not null
);
create index console_session_operator on console_session (operator);

-- Failed sign-ins by name and by IP address, for as long as they count.
create table login_failure (
  id bigint generated always as identity primary key,
  name text not null,
  address text not null,
  at timestamptz not null
);
create index login_failure_name on login_failure (name, at);
create index login_failure_address on login_failure (address, at);

-- Dual control: the amount from which a command needs a second person. The service stores its setting here, so that the command line
-- cannot leave it out. No row: no such rule. One row at most.
create table dual_control (
  one boolean primary key default true check (one),
  usd double precision not null check (usd >= 0),
  at timestamptz not null default now()
);

-- A command that one operator requested and another must confirm.
create table request (
  id uuid primary key default gen_random_uuid(),
  -- Noun and verb, as on the command line.
  command text not null,
  words jsonb not null,
  -- What the command was about when it was requested: if that has changed, it must be requested again.
  seen text not null,
  -- The amount in dollars at that time; null if it is unknown or there is none.
  usd double precision,
  reason text,
  asked_by text not null,
  asked_at timestamptz not null,
  outcome text check (outcome in ('confirmed', 'refused')),
  settled_by text,
  settled_at timestamptz,
  check ((outcome is null) = (settled_by is null) and (outcome is null) = (settled_at is null)),
  -- An operator cannot confirm their own request.
  constraint request_by_another check (outcome is distinct from 'confirmed' or settled_by <> asked_by)
);
create index request_open on request (asked_at) where outcome is null;

-- Who changed what. Each entry names the one before it by its hash, so that none can be changed, inserted or removed unnoticed.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- The operator's name, or the app whose key was used.
  actor text not null,
  action text not null,
  -- Never contains a key or a secret.
  data jsonb not null,
  previous text,
  hash text,
  signature text,
  constraint audit_chained check ((previous is null) = (hash is null))
);
-- An entry has one successor.
create unique index audit_previous on audit_log (previous) where previous is not null;

-- Kill switches: a row pauses its scope. Scopes: service, network:NAME, token:NETWORK/KEY, route:NETWORK/KEY>NETWORK/KEY, campaign:NAME.
create table switch (
  scope text primary key check (scope ~ '^(service$|(network|token|route|campaign):.)'),
  stops_swaps boolean not null,
  stops_payouts boolean not null,
  -- Who paused: an operator, or the service for one of its own reasons. `reason` is for people.
  code text not null default 'operator' check (code in ('operator', 'unknown_outflow', 'restored')),
  reason text not null,
  at timestamptz not null default now(),
  check (stops_swaps or stops_payouts)
);

-- Risk limits in dollars times 10^18, by kind and scope. `wallet_floor` only shows a wallet as low; it stops nothing.
create table safety_limit (
  kind text not null check (
    kind in ('swap_max', 'hourly_outflow', 'daily_outflow', 'wallet_ceiling', 'wallet_floor', 'approval_above')),
  scope text not null check (scope ~ '^(service$|(network|token|route|campaign):.)'),
  usd numeric(78, 0) not null check (usd >= 0),
  at timestamptz not null default now(),
  primary key (kind, scope)
);

-- When the operator was last alerted that the outflow limit of a network is reached: once, not for every payout that it holds.
create table outflow_alert (
  network text primary key,
  at timestamptz not null
);
