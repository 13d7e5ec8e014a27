-- The branch in which a process derives deposit addresses is a line of the signing journal, which is on disk before the branch is used.
-- A process that signs gives every other process its branch, after it has compared the database with the journal. Until then a process
-- accepts no swap.
alter table writer add has_keys boolean not null default true;
insert into writer (id, signs, branch, has_keys, started_at, beat_at, ended_at)
select gen_random_uuid(), false, branch, has_keys, started_at, started_at, now() from address_branch;
drop table address_branch;
