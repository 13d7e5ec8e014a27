/**
 * Where owed money shall go: said by the app whose swap it is, or by whoever sent it. Only an address that can be paid is
 * taken, and only while money is owed; what follows is decided by `advance`, like everything else.
 */
import {
  type Address,
  ApiError,
  type ChainAdapter,
  heldDeposits,
  refundAddressText,
  type Swap,
  type SwapEvent,
  unspent,
} from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { addJob } from '../store/jobs.ts'
import { readSwap, type SwapRecord, toSwap } from '../store/swaps.ts'
import { payableAddress } from './addresses.ts'

interface Claim {
  /** As the caller wrote it, and as it was signed. */
  refundAddress: string
  signature: string | null
  /** The app whose secret key was used. */
  appId: string | null
}

export type Giver = NonNullable<Extract<SwapEvent, { type: 'refund_address_given' }>['by']>

export async function giveRefundAddress(services: Services, swapId: string, claim: Claim): Promise<void> {
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
  if (!isOwn) await checkSignature(chain, swap, sendersOf(record, spokenFor(services, swap)), claim)
  const address = await payableAddress(services, chain, 'refund_address', claim.refundAddress)
  const by: Giver = isOwn ? 'app' : 'sender'
  await addJob(services.database, { task: 'giveAddress', payload: { swapId: swap.id, address, by } })
  services.log.info({ swapId: swap.id, by }, 'refund address given')
}

/** All that is owed; but dust that cannot be sent back takes nobody's say away, or any stranger could, for a cent. */
function spokenFor({ market }: Services, swap: Swap): string[] {
  const held = heldDeposits(swap)
  const fee = market.sendingFee(swap.source) ?? 0n
  const worth = swap.deposits.filter((deposit) => held.includes(deposit.id) && unspent(deposit) > fee)
  return worth.length > 0 ? worth.map(({ id }) => id) : held
}

/**
 * Who sent each of these deposits; null where that is not one address. A contract cannot be paid back, and so is no `from`, but
 * it can say what shall become of its money where it was the only one whose money it was.
 */
function sendersOf({ deposits }: SwapRecord, held: readonly string[]): Set<Address | null> {
  const own = deposits.filter(({ id }) => held.includes(id))
  return new Set(
    own.map(({ from_address, senders }) => from_address ?? (senders.length === 1 ? (senders[0] ?? null) : null)),
  )
}

/** The one who signs must have sent all that is owed: a stranger's deposit gives no say over somebody else's money. */
async function checkSignature(
  chain: ChainAdapter,
  swap: Swap,
  senders: ReadonlySet<Address | null>,
  { signature, refundAddress }: Claim,
): Promise<void> {
  const [sender] = senders
  if (!chain.verifyMessage) throw unproven(`cannot be checked on ${chain.network.name}: ask the app or the operator`)
  if (senders.size !== 1 || !sender)
    throw unproven('cannot be checked: what is owed did not come from one known address')
  const text = refundAddressText({ swapId: swap.id, network: swap.source.network, refundAddress })
  if (!signature || !(await chain.verifyMessage({ address: sender, text, signature }))) {
    throw unproven(
      'is not of the address that sent the deposit, or not over the text that names swap, network and address',
    )
  }
}

function unproven(problem: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `signature ${problem}.`, { signature: problem })
}
