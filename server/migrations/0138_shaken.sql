-- Deposits whose block was replaced, each by itself: what cannot be looked up holds no other, and nothing else of its network.
alter table deposit
  -- How far the scan had come when it was shaken, or when a node last told where it stands now; null where nothing is in doubt.
  add column shaken_at numeric(78, 0),
  -- A person was told that no node says where it stands: nothing waits for it any more.
  add column shaken_told boolean not null default false,
  -- Blocks that it stood in and that were replaced: an answer that names one of them proves nothing.
  add column replaced_blocks text[] not null default '{}';

create index deposit_shaken on deposit (network, shaken_told, id)
  where shaken_at is not null and not final and state in ('seen', 'confirmed');

-- Those that waited for it under the one mark of their network.
update deposit set shaken_at = head_number,
  replaced_blocks = case when block_hash is null then '{}' else array[block_hash] end
from chain_cursor
where chain_cursor.network = deposit.network and deposit.block_number >= recheck_from
  and not deposit.final and deposit.state in ('seen', 'confirmed');
