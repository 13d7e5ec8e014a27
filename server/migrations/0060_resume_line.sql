-- The journal's last line when the operator asked to resume. A request that the journal has carried out since is a copy in an older backup.
alter table journal add resume_line bigint;
