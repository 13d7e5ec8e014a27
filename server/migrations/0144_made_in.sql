-- After a restore a person's word on a payout is stored with the command that gave it, and only a person takes it back.

-- The transaction of the forgotten time that is said to have made it. What has one is in no slot, and gets none.
alter table payout
  add column made_in text,
  add constraint payout_made_in check (made_in is null or not started);
create index payout_made_in on payout (made_in) where made_in is not null;

-- A payout that was ordered anew, at another price, may be for more than what was sent: then amounts say nothing of whether
-- the same transaction paid somebody else besides.
alter table restored_movement drop constraint restored_movement_check;
update restored_movement movement set explained_units = said.units
from (
  select network, account, token, tx_hash, sum(units) as units
  from payout where state = 'confirmed' and tx_hash in (select tx_hash from restored_movement)
  group by network, account, token, tx_hash
) said
where said.network = movement.network and said.account = movement.account and said.token = movement.token
  and said.tx_hash = movement.tx_hash and said.units > movement.units;

-- The fee of a transfer pays nobody.
alter table restored_movement add column is_fee boolean not null default false;
update restored_movement set is_fee = true where reviewed_by = 'the fee of a transfer on this list';
