-- The group of the client that made a gasless swap (see 0109_client_group.sql): of the deadlines of one owner and token a group has a few.
alter table gasless_deadline add column client_group smallint;
