-- The exchange that the depositor's own transaction makes before the money reaches the deposit address; null if it makes
-- none. The swap's source is then the token that the exchange buys.
alter table swap add column user_exchange jsonb;
