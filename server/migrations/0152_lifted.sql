-- What the chain refused, or a person rejected, speaks against the address of a refund until that address is named again.
alter table payout add column lifted boolean not null default false;
