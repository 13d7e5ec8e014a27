-- What an endpoint is told of swaps that somebody has paid for, and test events, goes before the expiry of others: anyone can make swaps that
-- expire, for nothing.
create index webhook_delivery_next_paid on webhook_delivery (endpoint_id, next_at, id)
  where delivered_at is null and failed_at is null and status is distinct from 'expired';
