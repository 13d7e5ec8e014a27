-- A public key stands in a page and may do what anybody may, with more room; a secret one acts for its app. Those that there
-- are act for their apps already.
alter table api_key add column kind text not null default 'secret' check (kind in ('public', 'secret'));
