/** The transfers in proven blocks that are deposits to us, and their references. */
import { NodeFailure, treasuriesIn } from '@causeway/chain-kit'
import type { Address, Sighting, Token, Watchlist } from '@causeway/core'
import { TRANSFER_SELECTOR } from '../abi.ts'
import { addressInWord } from '../address.ts'
import { type BlockTransaction, refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { referenceIn } from '../depositing/deposit.ts'
import { type Deposited, readDeposited } from '../depositing/depository.ts'
import type { Receipt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { readTransfer } from './balance-changes.ts'
import type { ToldBlock } from './receipts.ts'

interface Arrival {
  /**
   * Index of the deposit: 0 for coins that the transaction itself sends, then the logs from 1 on, then transfers by
   * contracts.
   */
  index: number
  token: Token
  units: bigint
  from: Address | null
  to: Address
  /** The reference from one of our contracts; null if there is none. */
  named: bigint | null
  /** Whether the payer signed the transaction's memo for exactly this money. */
  bearsMemo: boolean
}

/** First index of transfers by contracts: after all logs that a transaction can have. */
const FIRST_INNER = 100_000

export async function sightingsIn(
  chain: TronChain,
  node: Node,
  blocks: readonly ToldBlock[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const seen = blocks.flatMap((block) =>
    block.transactions.flatMap((transaction, position) => {
      const receipt = block.receipts[position]
      const arrivals = receipt ? arrivalsIn(chain, transaction, receipt) : []
      return arrivals.length > 0 ? [{ block, transaction, arrivals }] : []
    }),
  )
  const addresses = seen.flatMap(({ arrivals }) => arrivals.flatMap(({ from, to }) => (from ? [from, to] : [to])))
  if (addresses.length === 0) return []
  const owned = await ours.owned([...new Set(addresses)])
  const treasuries = await treasuriesIn(chain.treasury, ours)
  return seen.flatMap(({ block, transaction, arrivals }) => {
    // Our own money in transit (a sweep, whichever account started it) is not a deposit.
    const own = arrivals.filter(({ from, to }) => owned.has(to) && (from === null || !owned.has(from)))
    for (const arrival of own) assertPlausible(node, transaction, arrival)
    const isAmbiguous = own.length > 1
    return own.map((arrival) => ({
      txHash: transaction.id,
      index: arrival.index,
      block: refOf(block),
      // The signer of a transaction holds a key. Contracts, and owners whose money others moved, are not refunded
      // automatically.
      refundableSender: arrival.from === transaction.owner ? arrival.from : null,
      fundingAddresses: arrival.from === null ? [] : [arrival.from],
      to: arrival.to,
      amount: { token: arrival.token, units: arrival.units },
      reference: arrival.named ?? (isAmbiguous ? null : memoOf(treasuries, transaction, arrival)),
    }))
  })
}

/** The memo's reference; null at a deposit address, which already identifies its swap. */
function memoOf(
  treasuries: ReadonlySet<Address>,
  { memo }: BlockTransaction,
  { to, bearsMemo }: Arrival,
): bigint | null {
  return bearsMemo && treasuries.has(to) ? referenceIn(memo) : null
}

function arrivalsIn(chain: TronChain, transaction: BlockTransaction, receipt: Receipt): Arrival[] {
  const { owner, contract, isSuccess } = transaction
  if (!isSuccess || owner === chain.treasury) return []
  const inner = receipt.inner.flatMap(({ from, to, units }, at) =>
    to === null ? [] : [coins(chain, FIRST_INNER + at, from, to, units, false)],
  )
  const direct =
    contract?.kind === 'transfer'
      ? [coins(chain, 0, owner, contract.to, contract.units, true)]
      : contract?.kind === 'call' && contract.value > 0n
        ? [coins(chain, 0, owner, contract.contract, contract.value, false)]
        : []
  const isWorth = ({ token, units }: Arrival) => units > 0n && (token.contract !== null || units >= chain.settings.dust)
  return [...direct, ...tokensIn(chain, transaction, receipt), ...inner].filter(isWorth)
}

function coins(
  { network }: TronChain,
  index: number,
  from: Address | null,
  to: Address,
  units: bigint,
  bearsMemo: boolean,
): Arrival {
  return { index, token: network.nativeToken, units, from, to, named: null, bearsMemo }
}

function tokensIn(chain: TronChain, { contract, owner }: BlockTransaction, { logs }: Receipt): Arrival[] {
  const arrivals = logs.flatMap((log, at): Arrival[] => {
    const moved = readTransfer(chain, log)
    if (!moved) return []
    const bearsMemo = contract?.kind === 'call' && contract.contract === moved.token.contract && moved.from === owner
    return [{ index: at + 1, ...moved, named: null, bearsMemo }]
  })
  const named = new Map<Arrival, bigint | null>()
  for (const [at, log] of logs.entries()) {
    const deposited = readDeposited(chain.depositories, log)
    const money =
      deposited &&
      announcedBy(
        deposited,
        at,
        arrivals.filter((one) => !named.has(one)),
      )
    if (money) named.set(money, deposited.reference)
  }
  return arrivals.map((one) => ({ ...one, named: named.get(one) ?? null }))
}

/**
 * The transfer that a Depository event announces. The event comes right after the token's own log, so the nearest
 * transfer before it is meant; an earlier equal one may be another payer's.
 */
function announcedBy({ token, receiver, units }: Deposited, at: number, arrivals: readonly Arrival[]): Arrival | null {
  const isMeant = (one: Arrival) => one.token.contract === token && one.to === receiver && one.units === units
  return arrivals.findLast((one) => one.index <= at && isMeant(one)) ?? null
}

/** Throws if a log claims too much: if an account calls the token directly, the block proves the requested amount. */
function assertPlausible(node: Node, { contract, owner }: BlockTransaction, { token, units, from, to }: Arrival): void {
  if (contract?.kind !== 'call' || token.contract === null || contract.contract !== token.contract) return
  if (!contract.data.startsWith(TRANSFER_SELECTOR) || contract.data.length < 136) return
  const asked = { to: addressInWord(contract.data.slice(8, 72)), units: BigInt(`0x${contract.data.slice(72, 136)}`) }
  if (from === owner && to === asked.to && units <= asked.units) return
  throw new NodeFailure(`node ${node.name} reports a transfer that its call did not request`)
}
