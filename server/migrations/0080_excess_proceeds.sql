-- A sale that seems to have brought far more than expected: a node may have invented it, so its payouts wait for an operator.
-- Adds a code to the list of the constraint, whatever other files have added to it.
do $$
declare
  listed text;
begin
  select pg_get_constraintdef(oid) into strict listed from pg_constraint
    where conrelid = 'hold'::regclass and conname = 'hold_code_check';
  alter table hold drop constraint hold_code_check;
  execute 'alter table hold add constraint hold_code_check '
    || replace(listed, 'ARRAY[', 'ARRAY[''excess_proceeds''::text, ');
end $$;

-- The operator's answer: what the sale really brought.
alter table swap_event drop constraint swap_event_type_check;
alter table swap_event add constraint swap_event_type_check check (type in (
  'deposit_seen', 'deposit_confirmed', 'deposit_gone', 'payout_confirmed', 'payout_undone', 'payout_abandoned', 'payout_recorded', 'tick',
  'refund_address_given', 'proceeds_corrected'));
