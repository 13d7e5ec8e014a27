-- The exchanges that the signer's policy allows, as last reported by a process with keys. A process without keys reads it,
-- so that it does not offer an exchange that the signer would refuse.
create table exchange_scope (
  singleton boolean primary key default true check (singleton),
  -- Null: the signer has no policy, so every exchange in the network files is allowed.
  scope jsonb
);
