/** The treasury's transactions that are deposits, and their references. */
import type { Address, Sighting, Token, Watchlist } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { referenceIn } from '../depositing/deposit.ts'
import { isOwnChange, JETTON_NOTIFICATION, ownWallets, parseNotification } from '../jetton.ts'
import type { Node } from '../node/node.ts'
import { internalIn, opcodeOf, sliceOf, sourceOf, type TonTransaction } from '../transaction.ts'

/** A transaction has one incoming message, so at most one deposit. */
const INDEX = 0

export async function sightingsIn(
  chain: TonChain,
  node: Node,
  transactions: readonly TonTransaction[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const { network, treasury, jettons, senders, blocks } = chain
  const hasNotice = transactions.some(({ in: message }) => message && opcodeOf(message) === JETTON_NOTIFICATION)
  const wallets = hasNotice ? await ownWallets(jettons, node, treasury.address, network.tokens) : new Map()
  const arrivals = transactions.flatMap((transaction) => {
    const arrival = jettonArrival(transaction, wallets) ?? nativeArrival(transaction, wallets, network.nativeToken)
    return arrival && arrival.units > 0n ? [{ ...arrival, transaction }] : []
  })
  if (arrivals.length === 0) return []
  const froms = arrivals.flatMap(({ from }) => from ?? [])
  const owned = await ours.owned([...new Set([treasury.address, ...froms])])
  if (!owned.has(treasury.address)) return []
  // Our own money in transit (a batch's message to ourselves) is not a deposit.
  const deposits = arrivals.filter(({ from }) => from === null || !owned.has(from))
  return Promise.all(
    deposits.map(async ({ transaction, token, units, from, reference }) => ({
      txHash: transaction.hash,
      index: INDEX,
      block: await blocks.of(node, transaction),
      refundableSender: await senders.refundable(node, from),
      fundingAddresses: from === null ? [] : [from],
      to: treasury.address,
      amount: { token, units },
      reference,
    })),
  )
}

interface Arrival {
  token: Token
  units: bigint
  from: Address | null
  reference: bigint | null
}

/**
 * Jettons moved before this message was sent, so its execution in our wallet does not matter: with the single nanoton
 * that most senders attach it cannot even run. Only the sender matters: our own wallet of the listed master, and no
 * other.
 */
function jettonArrival(transaction: TonTransaction, wallets: ReadonlyMap<Address, Token>): Arrival | null {
  const message = internalIn(transaction)
  if (!message || message.info.bounced) return null
  const token = wallets.get(sourceOf(message))
  const notice = token && parseNotification(message.body)
  if (!notice) return null
  return { token, units: notice.units, from: notice.sender, reference: referenceIn(notice.payload) }
}

function nativeArrival(
  transaction: TonTransaction,
  wallets: ReadonlyMap<Address, Token>,
  token: Token,
): Arrival | null {
  const message = internalIn(transaction)
  if (!message || message.info.bounced || !isCredited(transaction) || isOwnChange(message.body)) return null
  const from = sourceOf(message)
  if (wallets.has(from)) return null
  return { token, units: message.info.value.coins, from, reference: referenceIn(sliceOf(message.body)) }
}

/**
 * Whether the account kept the value: the contract ran, or the message came without bounce before the treasury's
 * contract was deployed.
 */
function isCredited({ isAborted, isUnborn, isBouncing }: TonTransaction): boolean {
  return !isAborted || (isUnborn && !isBouncing)
}
