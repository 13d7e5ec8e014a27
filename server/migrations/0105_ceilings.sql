-- What was signed before the most that it can cost was kept with it: nobody knows, and the usual bound for that holds.
update attempt set fee_ceiling = null from slot where slot.id = attempt.slot_id and slot.state = 'open';
