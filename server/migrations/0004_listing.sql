-- Lists of swaps: each filter has an index that is read newest first, so that a page costs the same with a million swaps.

create index swap_status on swap (status, sequence desc);
create index swap_source_network on swap (source_network, sequence desc);
create index swap_destination_network on swap (destination_network, sequence desc);

-- Exchanges that the depositor named, by their names in the operator's file.
alter table swap add column source_exchange text;
alter table swap add column destination_exchange text;
