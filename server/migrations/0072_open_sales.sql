-- Open sales are few; each reserves the output that follows it.
create index payout_open_sale on payout (id) where kind = 'sale' and state = 'open';
