-- A `sale` sells the deposited token for one that the treasury holds, through an exchange. It belongs to a swap, and has no deposit of its own:
-- it may sell several. At most one sale of a swap is open or confirmed, so that no deposit is sold twice.
alter table payout drop constraint payout_kind_check;
alter table payout add constraint payout_kind_check check (kind in (
  'output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward', 'sale', 'recorded'));
create unique index payout_sale on payout (swap_id) where kind = 'sale' and state <> 'abandoned';
alter table recorded_payout drop constraint recorded_payout_kind_check;
alter table recorded_payout add constraint recorded_payout_kind_check check (kind in (
  'output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward', 'sale', 'cancel'));

-- A leg: the exchange that the payout's transaction makes, instead of a transfer. `units` of `token` are sold; this is what they are sold for.
-- Null for a payout that sends its token.
alter table payout add leg jsonb;
-- The units of the bought token that the transaction gave its recipient, from its receipt.
alter table payout add received_units numeric(78, 0) check (received_units >= 0);
alter table payout add constraint payout_leg check (leg is not null or (received_units is null and kind <> 'sale'));
