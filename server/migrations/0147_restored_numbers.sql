-- Which swaps are older than the last restore: by their numbers, since clocks differ.
alter table restoration add column numbers_to bigint not null default 0;
update restoration set numbers_to = coalesce((select max(sequence) from swap where swap.created_at <= restoration.at), 0);
