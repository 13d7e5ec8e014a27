-- What the signing journal has and a restored database had lost. `restore --apply` stores it here, so that no deposit is paid for twice.

-- A payout of the journal whose order the database has lost. It is known only by what was signed. Once its deposit is credited to a swap that
-- the database has, it gets its true kind and its swap. A sweep, a call or a cancellation takes no money of a customer's: its units are zero.
alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check check (kind in (
  'output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward', 'recorded'));
alter table payout drop constraint payout_units_check;
alter table payout add constraint payout_units_check check (units > 0 or (kind in ('admin', 'recorded') and units = 0));
alter table payout drop constraint payout_has_swap;
alter table payout add constraint payout_has_swap check (
  swap_id is not null or kind in ('sweep', 'return', 'relay', 'admin', 'reward', 'recorded'));

-- What the journal says about a payout of kind `recorded`.
create table recorded_payout (
  payout_id uuid primary key references payout,
  -- Its true kind. `cancel` if nothing but a cancellation was signed in its slot.
  kind text not null check (kind in ('output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward', 'cancel')),
  -- Its swap, which the database may not have.
  swap_id uuid,
  campaign text,
  -- The line of the journal that it was first read from.
  journal_n bigint not null,
  -- The deposit that it paid for was credited, and both are in the ledger.
  met boolean not null default false
);
create index recorded_payout_swap on recorded_payout (swap_id) where swap_id is not null;

-- Deposits, rewards and permits that a recorded payout settled, by the keys of the journal. They are deleted if it is proven not made.
create table settled_key (
  key text not null,
  payout_id uuid not null references recorded_payout (payout_id),
  primary key (key, payout_id)
);
create index settled_key_payout on settled_key (payout_id);

-- `recorded`: a payout of the journal settled it, and its swap is lost.
alter table deposit drop constraint deposit_resolution_check;
alter table deposit add constraint deposit_resolution_check check (resolution in ('assigned', 'refunded', 'ignored', 'recorded'));

alter table swap_event drop constraint swap_event_type_check;
alter table swap_event add constraint swap_event_type_check check (type in (
  'deposit_seen', 'deposit_confirmed', 'deposit_gone', 'payout_confirmed', 'payout_undone', 'payout_abandoned', 'payout_recorded', 'tick',
  'refund_address_given'));

alter table ledger_entry drop constraint ledger_entry_reason_check;
alter table ledger_entry add constraint ledger_entry_reason_check check (reason in (
  'deposit', 'assigned', 'output promised', 'refuel promised', 'refund promised', 'reward promised', 'unmatched returned', 'remainder kept',
  'payout', 'network fee', 'sweep', 'capital', 'difference accepted', 'unannounced', 'restored', 'restored payout', 'recorded', 'deposit lost',
  'output taken back', 'refuel taken back', 'refund taken back', 'reward taken back', 'return taken back', 'remainder gone',
  'payout undone', 'sweep undone', 'recognised by mistake', 'recorded taken back', 'deposit gone', 'lost deposit found', 'loss averted'));
