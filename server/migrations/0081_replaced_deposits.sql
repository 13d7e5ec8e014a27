-- What stood at a place before is looked for whenever something lands there: it is rarely anything, and must not cost a look
-- through all deposits.
create index deposit_replaced on deposit (network, tx_hash, index) where replaced;
