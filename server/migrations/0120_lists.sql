-- Lists of swaps, newest first: what is asked for, then the status, then the number. A list of several statuses is merged from one
-- for each, so that no page has to look through swaps of other statuses, however many lie above the ones that it shows. `nulls
-- last` keeps the planner from walking all swaps by the unique index of the number instead, which it does where it takes a
-- status, a network or an address for that of nearly every swap: then one that few or none have is looked for in all of them.
drop index swap_status;
drop index swap_source_network;
drop index swap_destination_network;
drop index swap_app;
drop index swap_reference;
drop index swap_source_address;
drop index swap_destination_address;
drop index swap_refund_address;
drop index swap_deposit_address;

create index swap_status on swap (status, sequence desc nulls last);
create index swap_source_network on swap (source_network, status, sequence desc nulls last);
create index swap_destination_network on swap (destination_network, status, sequence desc nulls last);
create index swap_app on swap (app_id, status, sequence desc nulls last) where app_id is not null;
create index swap_reference on swap (reference_id, status, sequence desc nulls last) where reference_id is not null;
create index swap_source_address on swap (lower(source_address), status, sequence desc nulls last)
  where source_address is not null;
create index swap_destination_address on swap (lower(destination_address), status, sequence desc nulls last);
create index swap_refund_address on swap (lower(refund_address), status, sequence desc nulls last)
  where refund_address is not null;
create index swap_deposit_address on swap (lower(receiver), status, sequence desc nulls last) where uses_deposit_address;
