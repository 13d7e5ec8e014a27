-- A deposit may go back in more than two parts: a refuel fails after an excess was returned and the rest refunded, or after an
-- excess was returned beside an output. Each return but the first follows on one that stands, and only one follows on each.
alter table payout add column part smallint not null default 0;
alter table payout add constraint payout_part check (part = 0 or (part > 0 and kind = 'return'));
drop index payout_refund;
create unique index payout_refund on payout (deposit_id, kind, part) where deposit_id is not null and state <> 'abandoned';
