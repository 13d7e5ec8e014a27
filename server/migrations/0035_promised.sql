-- What was paid after a balance was read is still to be taken off it: asked at every quote's refresh and every promise.
create index payout_recent on payout (network, confirmed_at) where state = 'confirmed';
