-- Sweeps take what is worth it, and something.

-- Somebody else has taken it to the treasury, or away: no sweep needs to come for it.
alter table deposit add column emptied boolean not null default false;
drop index deposit_unswept;
create index deposit_unswept on deposit (network, to_address)
  where state = 'confirmed' and swept_by is null and not emptied;
create index deposit_swept_by on deposit (swept_by) where swept_by is not null;

create function sweep_has_sources() returns trigger language plpgsql as $$
begin
  if not exists (select from deposit where swept_by = new.id) then
    raise exception 'sweep % takes nothing', new.id using errcode = 'check_violation', constraint = 'sweep_has_sources';
  end if;
  return null;
end $$;
create constraint trigger sweep_has_sources after insert on payout
  deferrable initially deferred for each row when (new.kind = 'sweep') execute function sweep_has_sources();
