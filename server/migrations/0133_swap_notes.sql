-- What people write down about a swap. Only ever added: whoever comes after them must be able to rely on it.
create table swap_note (
  id bigint generated always as identity primary key,
  swap_id uuid not null references swap,
  author text not null,
  at timestamptz not null,
  text text not null check (length(text) between 1 and 1000)
);
create index swap_note_swap on swap_note (swap_id, id);

create function notes_are_kept() returns trigger language plpgsql as $$
begin
  raise exception 'a note is neither changed nor taken out';
end $$;
create trigger swap_note_kept before update or delete on swap_note for each row execute function notes_are_kept();

-- Slots that a payout stood in before: few, and asked for by whoever looks at its swap.
create index slot_payout_before on slot_payout (payout_id) where not live;
