-- What holds a payout: a rule or a person, however long that takes; or trouble, which is given up after a while. A change
-- from one to the other begins anew, so that what was paused for a day is not given up at the first trouble afterwards.
alter table payout
  add column held_by text,
  add constraint payout_held_by check (held_by in ('rule', 'trouble'));
