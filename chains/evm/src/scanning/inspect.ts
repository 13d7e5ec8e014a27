/**
 * Re-reads one transaction before money moves: whether it is in the canonical chain, whether it succeeded, and whether
 * the tokens really arrived. A token's log is only a claim; the change of our balance over the block is the proof.
 */
import { inspectionKey } from '@causeway/chain-kit'
import {
  type Address,
  type BlockRef,
  type Inspection,
  mulDiv,
  RetryLater,
  type TxHash,
  type Watchlist,
} from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { code, header, logs, type Receipt, receipt, type Transaction, transaction } from '../node/calls.ts'
import { confirmationsOf } from '../node/finality.ts'
import { statesOf } from '../node/historical-state.ts'
import { type Node, Refusal } from '../node/node.ts'
import { balanceOf, word } from '../paying/balance.ts'
import { inspectPlace, isPlace } from './native/internal-transfers.ts'
import {
  depositsAmong,
  isContract,
  type Movement,
  movementsOf,
  referenceOf,
  TRANSFER_TOPIC,
  tokenMovement,
  toSighting,
} from './transfers.ts'

export async function inspect(chain: EvmChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  if (isPlace(txHash)) return chain.rpc.agreed((node) => inspectPlace(chain, node, txHash, ours), inspectionKey)
  if (!/^0x[0-9a-f]{64}$/i.test(txHash)) return { state: 'unknown' }
  const hash = txHash.toLowerCase()
  return chain.rpc.agreed(async (node): Promise<Inspection> => {
    const [head, found, proof] = await node.ask([header('latest'), transaction(hash), receipt(hash)])
    if (!head) throw new RetryLater('the node has no head')
    if (!proof) return found ? { state: 'pending', sightings: [] } : { state: 'unknown' }
    if (!found) throw new RetryLater('the node has the receipt but not the transaction')
    const [confirmations, sightings] = await Promise.all([
      confirmationsOf(chain, node, head.number, proof.block),
      provenSightings(chain, node, found, proof, ours),
      assertCanonical(node, proof),
    ])
    if (!proof.success) return { state: 'failed', block: proof.block, confirmations }
    return { state: 'included', block: proof.block, confirmations, sightings }
  }, inspectionKey)
}

export async function assertCanonical(node: Node, { block }: Receipt): Promise<void> {
  const [standing] = await node.ask([header(block.number)])
  if (standing?.hash !== block.hash) throw new RetryLater('the block of the transaction is not part of the chain now')
}

async function provenSightings(chain: EvmChain, node: Node, found: Transaction, proof: Receipt, ours: Watchlist) {
  const movements = movementsOf(chain, found, proof)
  if (movements.length === 0) return []
  const owned = await ours.owned([...new Set(movements.flatMap(({ from, to }) => [from, to]))])
  const deposits = depositsAmong(movements, owned)
  if (deposits.length === 0) return []
  const senders = [...new Set(deposits.map(({ from }) => from))]
  const [codes, received] = await Promise.all([
    node.ask(senders.map((sender) => code(sender))),
    receivedUnits(chain, node, deposits, proof),
  ])
  const contracts = new Set(senders.filter((_, i) => isContract(codes[i] ?? '0x')))
  const reference = referenceOf(found, movements, owned)
  return deposits
    .map((deposit, i) => ({ ...deposit, units: received[i] ?? 0n }))
    .filter(({ units }) => units > 0n)
    .map((deposit) => toSighting(deposit, proof, reference, contracts))
}

/**
 * The proven units of each deposit. If a receiver's balance grew by less than the token's logs of this block claim, all
 * transfers to it share the shortfall in proportion, rounded down: together never more than arrived.
 */
async function receivedUnits(chain: EvmChain, node: Node, deposits: Movement[], { block }: Receipt): Promise<bigint[]> {
  // Reads the balance once per receiver and token, however many transfers the transaction has.
  const looks = new Map<string, Promise<Arrival>>()
  return Promise.all(
    deposits.map(async ({ to, token, units }) => {
      if (token.contract === null) return units
      const key = `${token.contract} ${to}`
      const look = looks.get(key) ?? arrivalAt(chain, node, token.contract, to, block)
      looks.set(key, look)
      const { claimed, arrived } = await look
      if (arrived >= claimed) return units
      return arrived > 0n ? mulDiv(units, arrived, claimed, 'down') : 0n
    }),
  )
}

/** A receiver's credits in one block: by the token's logs, and by the receiver's balance. */
interface Arrival {
  claimed: bigint
  arrived: bigint
}

async function arrivalAt(
  chain: EvmChain,
  node: Node,
  contract: string,
  receiver: Address,
  block: BlockRef,
): Promise<Arrival> {
  const network = chain.network.name
  const [answer, before, after] = await node.settle([
    logs({ blockHash: block.hash, address: [contract], topics: [TRANSFER_TOPIC] }),
    balanceOf(contract, receiver, block.number === 0n ? 0n : block.number - 1n),
    balanceOf(contract, receiver, block.number),
  ])
  if (answer instanceof Refusal) throw answer
  const transfers = answer.map((log) => tokenMovement(chain, log, 0)).filter((movement) => movement !== null)
  const claimed = sum(transfers.filter(({ from, to }) => to === receiver && from !== receiver))
  const { byNumber } = await statesOf(node)
  if (before instanceof Refusal || after instanceof Refusal || !byNumber) {
    // The state of that block is pruned, or the node always answers for its newest block. The operator chose the listed
    // tokens, so their logs are trusted then.
    chain.log.warn({ network, contract, block: block.number }, 'node cannot prove a balance change')
    return { claimed, arrived: claimed }
  }
  const sent = sum(transfers.filter(({ from, to }) => from === receiver && to !== receiver))
  const arrived = word(after) - word(before) + sent
  if (arrived < claimed) chain.log.warn({ network, contract, claimed, arrived }, 'less arrived than was logged')
  return { claimed, arrived }
}

function sum(movements: readonly Movement[]): bigint {
  return movements.reduce((total, { units }) => total + units, 0n)
}
