-- Whether the chain itself refused a payout that was given up. Only that counts against the address of a refund: an outage,
-- a pause or a person's no proves nothing about it. What was given up before is not held against anybody.
alter table payout add column refused boolean not null default false;
