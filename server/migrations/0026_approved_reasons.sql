-- What a person knew when they approved a payout: whoever is listed afterwards is asked about again.
alter table payout add column approved_reasons text[] not null default '{}';
update payout set approved_reasons = array[held_reason] where approved_at is not null and held_reason is not null;
