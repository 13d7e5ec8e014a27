-- What is promised of a token, without adding up all payouts that are open: some are held for months. A change is a row of
-- its own, written with the payout itself, so that those who order and close payouts never wait for each other; the rows are
-- folded into the sums in the background. What is promised is the sum and the changes that are not folded yet.
create table promise (
  network text not null,
  token text not null,
  units numeric(78, 0) not null,
  primary key (network, token)
);
create table promise_change (
  id bigint generated always as identity primary key,
  network text not null,
  token text not null,
  units numeric(78, 0) not null
);
-- Another process may be paying: nothing is ordered or closed between the sum and the triggers.
lock table payout in share row exclusive mode;
insert into promise (network, token, units)
  select network, token, sum(units) from payout
  where state = 'open' and kind not in ('sweep', 'relay', 'admin') group by 1, 2;

-- Sweeps stay in the house, and calls promise nothing.
create function note_promise() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state = 'open' and old.kind not in ('sweep', 'relay', 'admin') then
    insert into promise_change (network, token, units) values (old.network, old.token, -old.units);
  end if;
  if tg_op <> 'DELETE' and new.state = 'open' and new.kind not in ('sweep', 'relay', 'admin') then
    insert into promise_change (network, token, units) values (new.network, new.token, new.units);
  end if;
  return null;
end $$;
create trigger payout_promised after insert on payout
  for each row when (new.state = 'open') execute function note_promise();
create trigger payout_promise_changed after update on payout
  for each row when ((old.state, old.kind, old.network, old.token, old.units)
    is distinct from (new.state, new.kind, new.network, new.token, new.units)) execute function note_promise();
create trigger payout_promise_dropped after delete on payout
  for each row when (old.state = 'open') execute function note_promise();
