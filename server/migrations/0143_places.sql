-- How many were made before it: all get their turn by this, without the gaps that a restore leaves in the numbers. Two that are
-- made at once may share a place, and their turn; a process of an older release, beside this one, gives none.
alter table deposit_address add column place integer not null default 0;
update deposit_address set place = placed.place
from (select id, row_number() over (partition by network order by index) as place from deposit_address) placed
where placed.id = deposit_address.id;
create index deposit_address_place on deposit_address (network, place);
