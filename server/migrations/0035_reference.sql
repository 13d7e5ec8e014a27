-- The order of swaps and the number that a deposit names are two columns. The order is an internal identity. The reference is random,
-- so that after a rollback of the database no new swap has the reference of a lost one. Older swaps keep their number as reference.

alter table swap rename column sequence to ordinal;
alter sequence swap_sequence_seq rename to swap_ordinal_seq;
alter table swap rename constraint swap_sequence_key to swap_ordinal_key;

-- `sequence_number` in the API. A positive safe integer; fewer bits if the source network carries fewer.
alter table swap add column reference bigint constraint swap_reference_range check (reference between 1 and 9007199254740991);
update swap set reference = ordinal;
alter table swap alter column reference set not null;
alter table swap add constraint swap_reference_key unique (reference);

-- Swaps up to this ordinal are older than the restore.
alter table restoration rename column numbers_to to ordinals_to;
