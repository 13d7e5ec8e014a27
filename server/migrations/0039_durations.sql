-- How long a swap took, written when it is completed: what is shown with quotes is read from one index, once a minute.
alter table swap add column took_seconds double precision;
update swap set took_seconds = extract(epoch from swap.closed_at - newest.seen_at)
from (
  select swap.id, min(deposit.seen_at) as seen_at
  from (select id from swap where status = 'completed' order by closed_at desc limit 1000) swap
  join deposit on deposit.swap_id = swap.id group by swap.id
) newest where newest.id = swap.id;
drop index swap_completed;
create index swap_completed on swap (closed_at desc) include (source_network, destination_network, took_seconds)
  where status = 'completed';
