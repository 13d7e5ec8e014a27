-- Clients of the API know a campaign by a number; our own lists by its name.
alter table campaign add column number integer generated always as identity;
alter table campaign add constraint campaign_number unique (number);
