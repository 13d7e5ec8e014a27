/** Whether two reports show the same transfer. */
import type { DepositTransfer } from './observation.ts'

/** Token, receiver, reference and sender identify a deposit; its units and its block may change. */
export function isSameTransfer(a: DepositTransfer, b: DepositTransfer): boolean {
  const sendersOf = ({ senders, from }: DepositTransfer) => (from === null ? senders : [...senders, from])
  const [ours, theirs] = [sendersOf(a), sendersOf(b)]
  return (
    a.token === b.token &&
    a.to === b.to &&
    a.reference === b.reference &&
    // A node may know only some of the senders, or none.
    (ours.length === 0 || theirs.length === 0 || ours.some((sender) => theirs.includes(sender)))
  )
}

/** The same transfer with the same units. */
export function isEqual(a: DepositTransfer, b: DepositTransfer): boolean {
  return isSameTransfer(a, b) && a.units === b.units
}

/** The same transfer at the same index, with the same units or more. */
export function isWhole(now: DepositTransfer, before: DepositTransfer): boolean {
  return now.index === before.index && isSameTransfer(now, before) && now.units >= before.units
}
