-- An operator resumed signing. The process that signs writes it into the journal and clears it here.
alter table journal add resumed_by text;
