-- What is known of a payout's end. A slot is dead by evidence that a person can look up; a slot whose transactions no node
-- takes is used up by one that pays nobody; and what counted once and was undone waits for a person.

alter table slot
  -- The transaction that used the slot up, its block, and why nothing else of it can land.
  add column evidence jsonb,
  -- Since when it is wanted that the slot is used up without paying anybody.
  add column cancel_at timestamptz;

alter table attempt
  -- It pays nobody: it was signed to use the slot up.
  add column cancels boolean not null default false;

-- A payout that had counted and was undone: its transaction, where it had stood, and the evidence that it does no longer.
alter table payout
  add column undone jsonb,
  -- It gets no slot before a person has answered.
  add constraint payout_undone check (undone is null or (state = 'open' and not started));
alter table payout drop constraint payout_held_by;
alter table payout add constraint payout_held_by check (held_by in ('rule', 'trouble', 'undone'));

-- What a sweep was booked with, by address, so that it can be taken back to the unit.
create table swept_part (
  payout_id uuid not null references payout,
  address text not null,
  units numeric(78, 0) not null check (units > 0),
  primary key (payout_id, address)
);

-- When something that a rule holds is looked at again by itself.
alter table payout add column look_again_at timestamptz;
update payout set look_again_at = now() where state = 'open' and held_by = 'rule';
create index payout_look_again on payout (look_again_at) where state = 'open' and held_by = 'rule';

-- What went out lately is counted by slots.
create index slot_recent on slot (created_at);
