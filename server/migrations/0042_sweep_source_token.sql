-- What a sweep moved, per address and token: an address may pay a fee in the native token besides.
alter table sweep_source add column token text;
update sweep_source set token = payout.token from payout where payout.id = payout_id;
alter table sweep_source alter column token set not null;
alter table sweep_source drop constraint sweep_source_pkey;
alter table sweep_source add primary key (payout_id, address, token);
