-- Webhook events have types: an endpoint chooses its types, and a test event belongs to no swap.

-- Null: every type.
alter table webhook_endpoint add column event_types text[]
  check (cardinality(event_types) > 0 and array_position(event_types, null) is null);

alter table webhook_delivery alter column swap_id drop not null, alter column status drop not null;
alter table webhook_delivery add constraint webhook_delivery_of_a_swap_or_test check ((swap_id is null) = (status is null));
-- Deliveries of one subject are sent in order: the swap, or for tests the endpoint.
alter table webhook_delivery add column subject_id uuid not null generated always as (coalesce(swap_id, endpoint_id)) stored;
drop index webhook_delivery_waiting;
create index webhook_delivery_waiting on webhook_delivery (endpoint_id, subject_id, id)
  where delivered_at is null and failed_at is null;
