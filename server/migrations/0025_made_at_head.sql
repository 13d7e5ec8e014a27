-- Where the source network stood when the swap was made: what lies in a block from before that is none of its deposits.
-- Null for swaps from before this column, and those made while the network had not been read yet.
alter table swap add column made_at_head numeric(78, 0);
