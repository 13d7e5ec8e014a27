-- What arrives is what is swapped: a sum may be swapped at other terms than the swap was made with, and time decides when.

-- The quote that the swap was made with, where what came was paid at another one.
alter table swap add column agreed_quote jsonb;

-- When time may decide something about the money that is here; null where only an event can. The end of a window is found
-- by `expires_at`.
alter table swap add column due_at timestamptz;
create index swap_due on swap (due_at) where due_at is not null;

update swap set due_at = now() where id in (
  select swap_id from deposit where state = 'confirmed' and output_units + refund_units < units and swap_id is not null
);
