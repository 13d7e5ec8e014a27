-- An operator's cancel is a decision on the slot. The column said the same a second time.
insert into decision (slot_id, attempts, answer, by, at)
select slot.id, (select count(*) from attempt where attempt.slot_id = slot.id), 'cancel', 'before 0.2', cancel_at from slot
where cancel_at is not null and state = 'open'
  and not exists (select from decision where decision.slot_id = slot.id and answer = 'cancel');
alter table slot drop cancel_at;
