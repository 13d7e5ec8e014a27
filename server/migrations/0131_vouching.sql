-- Who let whom in: a second pair of eyes is one that no single person stands behind together with the first.
alter table operator
  -- The first of all, and whoever was let in as the second admin: there was nobody yet who could say who they are.
  add column is_founder boolean not null default false,
  -- The link was made by the very person, with their key; any other is accepted with a signature of it.
  add column invite_proven boolean not null default false;

create table operator_voucher (
  operator text not null references operator (name),
  voucher text not null,
  at timestamptz not null default now(),
  primary key (operator, voucher),
  constraint voucher_is_another check (voucher <> operator)
);

-- Those who are there already were let in by whom the audit log names.
insert into operator_voucher (operator, voucher, at)
select added.name, added.voucher, min(added.at)
from (
  select data ->> 'name' as name, regexp_replace(actor, '^console ', '') as voucher, at
  from audit_log where action = 'operator added'
  union all
  select data ->> 'name', data ->> 'askedBy', at
  from audit_log where action = 'operator added' and data ->> 'askedBy' is not null
) as added
join operator on operator.name = added.name
where added.voucher <> added.name
group by added.name, added.voucher;

update operator set is_founder = true where name in (
  select data ->> 'name' from audit_log
  where action = 'operator added' and data ->> 'role' = 'admin'
  order by id limit 2
);

-- Passwords were set by whoever opened a link, and whoever made the link saw it. Each is set anew, with a signature.
update operator set password = null, code_secret = null, code_step = null,
  invite_hash = null, invite_secret = null, invite_until = null;
delete from console_session;

-- What the service runs with, for the command line: whoever sits there cannot leave it out. No row, no such rule.
create table four_eyes (
  one boolean primary key default true check (one),
  usd double precision not null check (usd >= 0),
  at timestamptz not null default now()
);
