-- What came to a wallet and is not final yet: asked with every look at a balance, and planned once for all wallets. By its address
-- alone the one that collects would be looked up through all its history.
create index deposit_unsettled on deposit (network, to_address, token) where state = 'confirmed' and not final;
