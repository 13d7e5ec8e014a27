-- Webhook deliveries wait in their table. The oldest due one of an endpoint is found however many others wait.
create index webhook_delivery_next on webhook_delivery (endpoint_id, next_at, id) where delivered_at is null and failed_at is null;
