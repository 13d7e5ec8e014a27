-- Until when what was sent in the forgotten time may still land beside what is sent now; null where nothing can.
alter table restoration add column settles_at timestamptz;
