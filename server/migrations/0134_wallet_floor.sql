-- Below how many dollars of a token a wallet is shown as low. It stops nothing.
alter table safety_limit drop constraint safety_limit_kind_check;
alter table safety_limit add constraint safety_limit_kind_check check (
  kind in ('swap_max', 'hourly_outflow', 'daily_outflow', 'wallet_ceiling', 'wallet_floor', 'approval_above'));
