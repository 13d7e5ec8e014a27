/**
 * Jettons: each owner's tokens are in their own wallet contract, whose address only the token's master can derive. A
 * message is a jetton transfer only if it came from such a wallet; any contract can write the same body.
 */
import { boundedMap } from '@causeway/chain-kit'
import { type Address, RetryLater, type Token } from '@causeway/core'
import { beginCell, type Cell, type Slice } from '@ton/core'
import { canonical, tonAddress } from './address.ts'
import { accountState, getMethod } from './node/calls.ts'
import { type Node, Refusal } from './node/node.ts'
import { sliceOf } from './transaction.ts'

/** TEP-74. */
export const JETTON_TRANSFER = 0x0f8a7ea5
export const JETTON_INTERNAL_TRANSFER = 0x178d4519
export const JETTON_NOTIFICATION = 0x7362d09c
export const JETTON_EXCESSES = 0xd53276db

/** The upper half of our transfers' query ids, "CSWY" in ASCII: it identifies change that returns to us. */
const OUR_QUERIES = 0x43535759n
/** The value of the notification to a recipient's wallet: the minimum. */
const FORWARD_VALUE = 1n

export interface Notification {
  units: bigint
  sender: Address | null
  payload: Slice
}

export interface Jettons {
  /** The owner's wallet for the token of this master. */
  walletOf(node: Node, master: Address, owner: Address): Promise<Address>
}

/** Limit of the cache for foreign owners; our own wallets stay. */
const REMEMBERED = 5_000

export function openJettons(): Jettons {
  const known = boundedMap<string, Address>(REMEMBERED)
  return {
    async walletOf(node, master, owner) {
      // Cached per node: one node's answer must not be used for another.
      const key = `${node.name} ${master} ${owner}`
      const kept = known.get(key)
      if (kept !== undefined) return kept
      const argument = { type: 'slice', cell: beginCell().storeAddress(tonAddress(owner)).endCell() } as const
      const { exitCode, stack } = await node.ask(getMethod(master, 'get_wallet_address', [argument]))
      const [answer] = stack
      if (exitCode !== 0 || answer?.type !== 'cell') throw new RetryLater(`${master} does not name its wallets`)
      const wallet = canonical(answer.cell.beginParse().loadAddress())
      known.set(key, wallet)
      return wallet
    },
  }
}

export async function jettonUnits(node: Node, wallet: Address): Promise<bigint> {
  const { exitCode, stack } = await node.ask(getMethod(wallet, 'get_wallet_data', []))
  const [units] = stack
  if (exitCode === 0 && units?.type === 'num') return units.value
  // Nodes word a missing contract differently; the account state is unambiguous.
  if (!(await node.ask(accountState(wallet))).isActive) return 0n
  throw new Refusal('get_wallet_data', `${wallet} answered with exit code ${exitCode}`)
}

/** The treasury's own wallets by address, for the listed tokens. */
export async function ownWallets(
  jettons: Jettons,
  node: Node,
  treasury: Address,
  tokens: readonly Token[],
): Promise<Map<Address, Token>> {
  const wallets = new Map<Address, Token>()
  for (const token of tokens) {
    if (token.contract !== null) wallets.set(await jettons.walletOf(node, token.contract, treasury), token)
  }
  return wallets
}

export function transferBody(to: Address, units: bigint, treasury: Address, queryId: number): Cell {
  return beginCell()
    .storeUint(JETTON_TRANSFER, 32)
    .storeUint((OUR_QUERIES << 32n) | BigInt(queryId), 64)
    .storeCoins(units)
    .storeAddress(tonAddress(to))
    .storeAddress(tonAddress(treasury))
    .storeBit(false)
    .storeCoins(FORWARD_VALUE)
    .storeBit(false)
    .endCell()
}

/** Whether the message is change of our own jetton payouts, which is not a deposit. */
export function isOwnChange(body: Cell): boolean {
  const slice = sliceOf(body)
  if (slice.remainingBits < 96 || slice.loadUint(32) !== JETTON_EXCESSES) return false
  return slice.loadUintBig(64) >> 32n === OUR_QUERIES
}

/** Null if the body is not a well-formed notification. */
export function parseNotification(body: Cell): Notification | null {
  const slice = sliceOf(body)
  if (slice.remainingBits < 32 || slice.loadUint(32) !== JETTON_NOTIFICATION) return null
  try {
    slice.skip(64)
    const units = slice.loadCoins()
    const sender = slice.loadMaybeAddress()
    // The payload follows its presence bit, or is in a separate cell.
    const payload = slice.loadBit() ? sliceOf(slice.loadRef()) : slice
    return { units, sender: sender && canonical(sender), payload }
  } catch {
    return null
  }
}
