-- What an undone payout was when a person said that it is to be paid again: whoever rejects it after them, before anything is
-- signed for it, still says that it was made.
alter table payout add column was_undone jsonb;
