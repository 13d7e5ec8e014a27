/**
 * Sets the refund address of owed deposits. The swap's app may set it for everything owed; a sender may set it for what
 * it sent. The address must be payable and something must be owed. `advance` decides the rest.
 */
import {
  type Address,
  ApiError,
  type ChainAdapter,
  type Deposit,
  heldDeposits,
  refundAddressText,
  type Swap,
  unspent,
} from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { type AddressGiven, addJob } from '../store/db/jobs.ts'
import { type DepositRow, readSwap, type SwapRecord, toSwap } from '../store/swaps/swaps.ts'
import { payableAddress } from './addresses.ts'

interface Claim {
  /** The address as the caller wrote and signed it. */
  refundAddress: string
  signature: string | null
  /** The app whose secret key was used; null if none was. */
  appId: string | null
}

/** Limits signature checks: a contract's signature costs a node call, and third parties may have sent deposits too. */
const MOST_SENDERS = 8

export async function nameRefundAddress(services: Services, swapId: string, claim: Claim): Promise<void> {
  const record = await readSwap(services.database, swapId)
  if (!record) throw new ApiError('NOT_FOUND', `There is no swap ${swapId}.`)
  const swap = toSwap(record, services.catalogue)
  const chain = chainOf(services.chains, swap.source.network)
  const isOwn = claim.appId !== null && claim.appId === record.row.app_id
  if (!isOwn && claim.signature === null) {
    throw new ApiError(
      'API_KEY_FORBIDDEN',
      "This needs the secret key of the swap's own app, or a signature of the sender.",
    )
  }
  if (heldDeposits(swap).length === 0) {
    const problem = `nothing is owed: the swap is ${swap.status}`
    throw new ApiError('VALIDATION_ERROR', `refund_address is not needed, ${problem}.`, { refund_address: problem })
  }
  const by = isOwn ? 'app' : 'sender'
  const signers = isOwn ? [] : await signersOf(services, chain, record, swap, claim)
  const address = await payableAddress(services, chain, 'refund_address', claim.refundAddress)
  const asked = { swapId: swap.id, address, by, signers } as const
  const depositIds = spokenFor(record, { ...asked, depositIds: heldDeposits(swap) })
  await addJob(services.database, { task: 'giveAddress', payload: { ...asked, depositIds } })
  services.log.info({ swapId: swap.id, by, depositIds }, 'refund address given')
}

/** Which of the named deposits the caller may decide about: a signature covers only what its signer sent. */
export function spokenFor({ deposits }: SwapRecord, { by, depositIds, signers }: AddressGiven): string[] {
  const isSigners = (row: DepositRow) => signers.some((signer) => signer === senderOf(row))
  const named = deposits.filter(({ id }) => depositIds.includes(id))
  return named.filter((row) => by !== 'sender' || isSigners(row)).map(({ id }) => id)
}

/**
 * The sender of a deposit; null if there is not exactly one. A contract cannot be refunded and so has no `from`, but it
 * may choose the refund address if it was the only sender.
 */
function senderOf({ from_address: from, senders }: DepositRow): Address | null {
  return from ?? (senders.length === 1 ? (senders[0] ?? null) : null)
}

/**
 * Which senders of owed deposits made the signature. A contract may accept any signature, but it decides only about its
 * own deposits.
 */
async function signersOf(
  services: Services,
  chain: ChainAdapter,
  { deposits }: SwapRecord,
  swap: Swap,
  { signature, refundAddress }: Claim,
): Promise<Address[]> {
  if (!chain.messages) throw unproven(`cannot be checked on ${chain.network.name}: ask the app or the operator`)
  const worth = worthwhile(services, swap)
  const rows = worth.flatMap(({ id }) => deposits.find((row) => row.id === id) ?? [])
  const senders = [...new Set(rows.flatMap((row) => senderOf(row) ?? []))].slice(0, MOST_SENDERS)
  if (senders.length === 0) throw unproven('cannot be checked: what is owed did not come from one known address')
  const text = refundAddressText({ swapId: swap.id, network: swap.source.network, refundAddress })
  const signers: Address[] = []
  for (const address of senders) {
    if (signature && (await chain.messages.verify({ address, text, signature }))) signers.push(address)
  }
  if (signers.length > 0) return signers
  throw unproven(
    'is not of the address that sent the deposit, or not over the text that names swap, network and address',
  )
}

/** Owed deposits, largest first; without dust that cannot be refunded, unless there is nothing else. */
function worthwhile({ market }: Services, swap: Swap): Deposit[] {
  const held = heldDeposits(swap)
  const fee = market.sendingFee(swap.source) ?? 0n
  const owed = swap.deposits.filter(({ id }) => held.includes(id))
  const worth = owed.filter((deposit) => unspent(deposit) > fee)
  const most = (a: Deposit, b: Deposit) => Number(unspent(b) > unspent(a)) - Number(unspent(b) < unspent(a))
  return (worth.length > 0 ? worth : owed).sort(most)
}

function unproven(problem: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `signature ${problem}.`, { signature: problem })
}
