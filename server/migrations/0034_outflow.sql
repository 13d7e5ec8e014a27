-- What went out in the last hour and day is summed before every payout and every few seconds: from the newest back.
create index payout_outflow on payout (coalesce(sent_at, created_at));
create index slot_created on slot (created_at);
