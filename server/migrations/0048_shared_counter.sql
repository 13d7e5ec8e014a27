-- Operator commands count on one row that no process owns. If the database loses a pause, a rejection or a limit, its counter is behind
-- what the signing journal has seen, and signing stops.
insert into writer (id, signs) values ('00000000-0000-0000-0000-000000000000', false);
