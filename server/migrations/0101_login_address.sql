-- Failed logins count by the /48 of an IPv6 address, too: a provider gives one customer many /64 networks. Null for IPv4.
alter table login_failure add column site text;
create index login_failure_site on login_failure (site, at) where site is not null;

-- Addresses from which an operator has logged in: failures of others do not lock these out.
create table operator_address (
  name text not null references operator (name),
  address text not null,
  at timestamptz not null,
  primary key (name, address)
);
