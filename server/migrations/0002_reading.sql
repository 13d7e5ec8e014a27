-- What is read in the background for quotes.

-- The newest completed swaps tell how long a route takes.
create index swap_completed on swap (closed_at desc) where status = 'completed';

-- What was paid after a balance was read is still to be taken off it.
create index payout_confirmed on payout (network, confirmed_at) where state = 'confirmed';
