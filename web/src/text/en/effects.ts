/** The effect of each operator action, shown before it is done. */
export const EFFECTS: Record<string, string> = {
  'payout approve': 'Removes this objection, and no other. A reorged payout is paid again.',
  'payout reject': 'The payout is given up. The money of its swap goes back to its sender; a refund stays owed.',
  'payout cancel': 'A transaction that pays nobody uses up its slot. The payout gets another slot once that is final.',
  'payout approval': 'Shows the text that an approver signs on a machine of their own. Nothing is done.',
  'request refuse': 'The request leaves the list; nothing is done.',
  'swap note': 'It is shown on the page of the swap from now on.',
  'swap refund': 'What we owe for this swap goes to this address on its source network, minus gas.',
  'unmatched assign': 'The deposit counts for that swap, as if it had named it.',
  'unmatched refund': 'The deposit goes to this address on its network, minus gas.',
  'unmatched ignore':
    'The deposit stays where it is and leaves this list. The command line can still send it back or give it to a swap.',
  'wallet halt': 'The wallet signs nothing until it is released.',
  'wallet release':
    'The wallet signs again, unless it was halted for something else meanwhile. If coins are missing, you say how much you give up; it is booked as a loss.',
  'switch pause': 'Stops new swaps, payouts, or both in this scope until resumed.',
  'switch resume': 'The pause ends: what waited goes on.',
  'limit set': 'Takes effect now. If several limits apply, the strictest wins.',
  'limit clear': 'This limit does not apply any more.',
  'app create': 'Swaps made with a key of this app belong to it.',
  'key create': 'The key is shown this once.',
  'key rotate': 'A successor is made and shown this once; the old key works on for some hours.',
  'key revoke': 'The key is refused within a few seconds, for good.',
  'webhook add': 'The secret is shown this once.',
  'webhook test': 'Sends one signed test event. The list of deliveries shows the answer.',
  'webhook events': 'Other events are no longer sent there: name the types with commas between, or all.',
  'webhook remove': 'Undelivered events are discarded.',
  'webhook replay': 'All events of the swap are sent again.',
  'depository pause': 'No new deposits come through it. Nothing that was deposited is touched.',
  'depository unpause': 'Deposits come through again.',
  'depository deploy': 'What is missing on chain is deployed, at the cost of the wallet.',
  'depository factory': 'The factory of deposit addresses is deployed; they are offered once it stands.',
  'depository rotate': 'Deposits go to another receiver. This service sees those to its own treasury only.',
  'campaign pause': 'Nothing new is promised, its payouts are held, or both. What was promised stays promised.',
  'campaign resume': 'The campaign goes on.',
  'campaign retry': 'Rewards whose payout was rejected are paid in a new one.',
  'operator add': 'The person may act on the command line with this key, and at the console once invited.',
  'operator invite':
    'A link, good once and for a day, by which the person sets a password and a code, with a signature of their key.',
  'operator vouch':
    'You say that you know this person and that the key is theirs. They may then confirm actions of the person who added them.',
  'operator role': 'The person may do what this role may.',
  'operator remove': 'This person loses all access immediately.',
}

type Row = Record<string, string>
const forSwap = ({ swap }: Row) => (swap ? ` for swap ${swap.slice(0, 8)}` : '')

/** The effect with the values of a row; null if there is no such text. */
export function effectOn(command: string, row: Row): string | null {
  const { units, network, to, scope } = row
  if (command === 'payout approve' && to) return `Pay ${units} on ${network} to ${to}${forSwap(row)}.`
  if (command === 'payout reject' && units)
    return `Do not pay ${units} on ${network}${forSwap(row)}. The money of its swap goes back to its sender; a refund stays owed.`
  if ((command === 'swap refund' || command === 'unmatched refund') && units)
    return `Send ${units}, less the gas, to this address on ${network}.`
  if (command === 'switch resume' && scope) return `End the pause of ${scope}: what waited there goes on.`
  return null
}
