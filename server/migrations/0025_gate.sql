-- The gate before every signature: answered holds, the value that a slot reserves, and what nodes said about an attempt.

-- An answered hold stays open while its objection lasts: the answer counts as long. If the objection ends and returns, a new hold is opened.
alter table hold add answered_at timestamptz;
-- The time in which it was open counts until the payout is given up. Progress of the payout sets it back to false.
alter table hold add runs_clock boolean not null default false;
update hold set runs_clock = true where code = 'trouble' and closed_at is null;
update hold set closed_at = null, answered_at = answer.at
from (select hold_id, max(at) as at from decision where answer = 'approve' group by hold_id) answer, payout
where answer.hold_id = hold.id and payout.id = hold.payout_id and payout.state = 'open';

-- One question at a time, whichever process asks it; a reorged payout is a question of its own.
update hold set closed_at = now() where closed_at is null and answered_at is null and payout_id is not null and exists (
  select from hold other where other.payout_id = hold.payout_id and other.sequence > hold.sequence and other.closed_at is null
  and other.answered_at is null and (other.code = 'payout_reorged') = (hold.code = 'payout_reorged'));
drop index hold_open_payout;
create unique index hold_open_payout on hold (payout_id, (code = 'payout_reorged'))
  where closed_at is null and answered_at is null and payout_id is not null;

-- What it was worth in 10^-18 dollars when it got its slot. Limits sum this value: a price that disappears later changes nothing.
alter table payout add usd numeric(78, 0);
drop index payout_started;
create index payout_started on payout (started_at) include (network, kind, token, usd) where started;

-- When its payouts were screened. An older answer is renewed before the first signature.
alter table slot add screened_at timestamptz;

-- When a node accepted it first, and when every node said that it will reject these bytes for ever.
alter table attempt add accepted_at timestamptz, add refused_at timestamptz;
update attempt set accepted_at = sent_at;

create index decision_on_slot on decision (slot_id) where slot_id is not null;

create or replace function close_payout_holds() returns trigger language plpgsql as $$ begin
  update hold set closed_at = now() where payout_id = new.id and closed_at is null
    and (answered_at is null or new.state <> 'open');
  return null;
end $$;
