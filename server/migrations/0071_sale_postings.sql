-- Postings of a sale: promised to the exchange, made, covered by us if it proves not made after its proceeds were spent, and the reversals.
alter table ledger_entry drop constraint ledger_entry_reason_check;
alter table ledger_entry add constraint ledger_entry_reason_check check (reason in (
  'deposit', 'assigned', 'sale promised', 'sale', 'sale covered', 'output promised', 'refuel promised', 'refund promised', 'reward promised',
  'unmatched returned', 'remainder kept', 'payout', 'network fee', 'sweep', 'capital', 'difference accepted', 'unannounced', 'restored',
  'restored payout', 'recorded', 'deposit lost',
  'sale taken back', 'sale undone', 'output taken back', 'refuel taken back', 'refund taken back', 'reward taken back', 'return taken back',
  'remainder gone', 'payout undone', 'sweep undone', 'recognised by mistake', 'recorded taken back', 'deposit gone', 'lost deposit found',
  'loss averted'));
