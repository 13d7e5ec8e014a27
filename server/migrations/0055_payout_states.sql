-- A payout that a reorg removed is one with an open hold `payout_reorged`, and what an operator decided is a decision on that hold.
-- The columns `undone` and `was_undone` said the same a second time. So did `look_again_at`, beside the time on the hold.
-- Two releases never run side by side (docs/operate/upgrade.md), so the columns go in the file that replaces them.

-- The hold has the transaction, the block and the evidence.
insert into hold (payout_id, code, params, needs_person, opened_at)
select id, 'payout_reorged',
  jsonb_build_object('txHash', undone->'hash', 'block', undone->'block', 'evidence', undone->'evidence'->'reason'),
  true, coalesce(held_since, now())
from payout where undone is not null and not exists (
  select from hold where payout_id = payout.id and code = 'payout_reorged' and closed_at is null and answered_at is null);
update payout set held_by = 'undone', held_since = coalesce(held_since, now())
where undone is not null and held_by is distinct from 'undone';
-- A rejection of such a payout meant that it was paid. It is carried out after this start.
insert into decision (hold_id, answer, by, at)
select hold.id, 'was_paid', 'before 0.2', rejected_at from payout
join hold on hold.payout_id = payout.id and hold.code = 'payout_reorged' and hold.closed_at is null and hold.answered_at is null
where undone is not null and rejected_at is not null
  and not exists (select from decision where hold_id = hold.id and answer = 'was_paid');
update payout set rejected_at = null where undone is not null and rejected_at is not null;

-- Paid again, and not settled since: the hold is open and answered.
update hold set closed_at = null, answered_at = coalesce(
  (select max(at) from decision where hold_id = hold.id and answer = 'pay_again'), closed_at, now())
where id in (
  select distinct on (payout_id) hold.id from hold join payout on payout.id = payout_id
  where was_undone is not null and undone is null and state = 'open' and code = 'payout_reorged'
  order by payout_id, hold.sequence desc);
insert into hold (payout_id, code, params, needs_person, opened_at, answered_at)
select id, 'payout_reorged',
  jsonb_build_object('txHash', was_undone->'hash', 'block', was_undone->'block', 'evidence', was_undone->'evidence'->'reason'),
  true, now(), now()
from payout where was_undone is not null and undone is null and state = 'open' and not exists (
  select from hold where payout_id = payout.id and code = 'payout_reorged');

alter table payout drop constraint payout_undone, drop undone, drop was_undone;
update payout set held_by = null, held_since = null where held_by = 'undone' and (state <> 'open' or started);
-- A reorged payout gets no slot, and is not closed, before an operator has answered.
alter table payout add constraint payout_reorged_waits
  check (held_by is distinct from 'undone' or (state = 'open' and not started));

-- The time at which a slot in trouble is taken up again. Holds of this code have no other use for it.
update hold set recheck_at = look_again_at from payout
where payout.id = hold.payout_id and hold.code = 'trouble' and hold.closed_at is null and look_again_at is not null;
alter table payout drop look_again_at;
drop index hold_recheck;
create index hold_recheck on hold (recheck_at) where closed_at is null and payout_id is not null and code <> 'trouble';

-- That an address was given again is an event, and has a time. The time of earlier ones is not known.
alter table payout add refusal_cleared_at timestamptz;
update payout set refusal_cleared_at = created_at where lifted;
alter table payout drop lifted;
