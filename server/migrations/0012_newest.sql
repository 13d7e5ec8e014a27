-- The unique index of swap.sequence is read backwards just as well: one index less to write for every new swap.
drop index swap_newest;
