-- How many payouts to a recipient are on their way: whose code may let them fail gets no more than a few at once.
create index payout_open_to on payout (network, to_address) where state = 'open' and started;
