-- What a recipient's own code takes of us when it is paid, beyond what every payout includes: charged in the quote of its swap, and
-- no more than this is spent on it.
alter table swap add column recipient_effort numeric not null default 0 check (recipient_effort >= 0);

-- Relays of one owner and token that failed, lately: what they cost is bounded.
create index gasless_authorization_owner on gasless_authorization (network, token, owner, created_at)
  where payout_id is not null;
create index gasless_authorization_network on gasless_authorization (network, created_at) where payout_id is not null;
