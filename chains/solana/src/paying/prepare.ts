/**
 * Checks before signing: whether this order can be paid, and at which price. The transaction is simulated on the node,
 * so a recipient that cannot be paid is known before anything is sent.
 */
import {
  type Address,
  Bug,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Transfer,
  TreasuryShort,
} from '@causeway/core'
import { isWritableRole } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'
import { accounts, rentFor, type Simulation, simulate } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isTokenProgram, programOf, unitsOf } from '../tokens.ts'
import { TOKEN_ACCOUNT_BYTES, unitPriceAbove, unitPriceOffered } from './fees.ts'
import { MOST_UNITS } from './max-signing-cost.ts'
import { MAX_BYTES, toBase64, wireBytes, withBlockhash, withNonce } from './message.ts'
import { instructionsOf, MAX_SWEEP_SOURCES, type Plan } from './order.ts'
import { budgetInstructions, budgetOf, ceilingOf, formatTerms, type Terms } from './terms.ts'
import { addressOf, depositKey } from './treasury.ts'

/** Compute units of advancing the nonce, which the simulation omits. */
const NONCE_UNITS = 150n

export async function prepare(
  chain: SolanaChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  return chain.rpc.use(async (node) => {
    const plan = await planFor(chain, node, order)
    const [unitPrice, rent] = await Promise.all([priceFor(chain, node, order, plan, replaces), rentOf(node, order)])
    await assertSize(chain, order, plan)
    // A shortfall of the treasury is reported before the simulation's result: it is temporary and does not make a
    // recipient unpayable.
    const [refused, tried] = await Promise.all([
      refusedRecipient(node, order),
      tryOut(chain, node, order, plan),
      assertCovered(chain, node, order, { ...plan, rent, unitPrice, units: MOST_UNITS }),
    ])
    const trial = refused ?? tried
    if (typeof trial === 'string') {
      // An earlier attempt may have been mined meanwhile: then the simulation fails and proves nothing.
      throw replaces ? new RetryLater(`a replacement cannot be simulated: ${trial}`) : new PayoutImpossible(trial)
    }
    const used = trial.unitsConsumed + NONCE_UNITS
    const units = (used * (100n + chain.settings.unitMarginPercent)) / 100n
    const least = replaces ? budgetOf(replaces).units : 0n
    return formatTerms({ ...plan, rent, unitPrice, units: units > least ? units : least })
  })
}

async function priceFor(
  chain: SolanaChain,
  node: Node,
  order: Order,
  plan: Plan,
  replaces: SignedTransfer | null,
): Promise<bigint> {
  const now = await unitPriceOffered(chain, node, await writtenBy(chain, order, plan))
  return replaces ? unitPriceAbove(chain.settings, budgetOf(replaces).unitPrice, now) : now
}

/** The accounts that the transaction writes to: its price follows the busiest of them. */
async function writtenBy({ treasury, settings }: SolanaChain, order: Order, plan: Plan): Promise<Address[]> {
  const used = (await instructionsOf(settings, order, plan)).flatMap((instruction) => instruction.accounts ?? [])
  return [treasury, ...used.filter(({ role }) => isWritableRole(role)).map(({ address }) => address)]
}

function transfersOf(order: Order): Transfer[] {
  return order.kind === 'transfers' ? order.transfers : []
}

async function planFor(chain: SolanaChain, node: Node, order: Order): Promise<Plan> {
  const tokens = order.kind === 'sweep' ? [order.token] : transfersOf(order).map(({ amount }) => amount.token)
  const foreign = tokens.find(({ network }) => network !== chain.network.name)
  if (foreign) throw new Bug('a token of another network', { token: foreign.symbol, network: foreign.network })
  const mints = [...new Set(tokens.flatMap(({ contract }) => contract ?? []))]
  for (const mint of mints) {
    const program = await chain.programs.of(node, mint)
    const isPinned = program === programOf(chain.settings, mint)
    if (!isPinned) throw new RetryLater(`${mint} is kept by ${program}: the setting token_2022 must say so`)
  }
  const takings = order.kind === 'sweep' ? await takingsOf(chain, node, order) : []
  return { takings }
}

/** The amount to take from each address: its whole balance now. Later deposits wait for the next sweep. */
async function takingsOf(
  chain: SolanaChain,
  node: Node,
  { sources, token }: Extract<Order, { kind: 'sweep' }>,
): Promise<bigint[]> {
  if (sources.length === 0) throw new Bug('a sweep of nothing', {})
  if (sources.length > MAX_SWEEP_SOURCES) {
    throw new PayoutImpossible(`a sweep takes ${MAX_SWEEP_SOURCES} addresses at most, not ${sources.length}`)
  }
  for (const { address, index, branch } of sources) {
    const derived = await addressOf(chain.signer, depositKey(index, branch))
    if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
  }
  const takings = await Promise.all(sources.map(({ address }) => unitsOf(node, chain.programs, address, token)))
  if (takings.every((units) => units === 0n)) throw new RetryLater('there is nothing to sweep')
  return takings
}

/** Throws if the transaction would be too long. Any nonce and price will do: only the length matters. */
async function assertSize(chain: SolanaChain, order: Order, plan: Plan): Promise<void> {
  const use = { account: chain.nonces[0] ?? chain.treasury, value: chain.treasury }
  const instructions = [
    ...budgetInstructions({ units: 0n, unitPrice: 0n }),
    ...(await instructionsOf(chain.settings, order, plan)),
  ]
  const size = wireBytes(withNonce(chain.treasury, use, instructions)).length
  if (size > MAX_BYTES) throw new PayoutImpossible(`the order does not fit into a transaction: ${size} bytes`)
}

/** The rent of token accounts that the order may have to create. */
async function rentOf(node: Node, order: Order): Promise<bigint> {
  if (order.kind !== 'transfers') return 0n
  const [rent] = await node.ask([rentFor(TOKEN_ACCOUNT_BYTES)])
  return rent * BigInt(order.transfers.filter(({ amount }) => amount.token.contract !== null).length)
}

/** Throws if the treasury cannot pay and keep its own rent-exempt minimum: the chain would reject the transaction. */
async function assertCovered(chain: SolanaChain, node: Node, order: Order, terms: Terms): Promise<void> {
  const spent = spentBy(order)
  const [ownRent] = await node.ask([rentFor(0)])
  const needed = (spent.get(null) ?? 0n) + ceilingOf(terms) + ownRent
  if ((await unitsOf(node, chain.programs, chain.treasury, chain.network.nativeToken)) < needed) {
    throw new TreasuryShort('the treasury holds too little for the transfer, its fee and rent')
  }
  for (const [mint, units] of spent) {
    const token = mint === null ? undefined : chain.tokens.get(mint)
    if (token && (await unitsOf(node, chain.programs, chain.treasury, token)) < units) {
      throw new TreasuryShort(`the treasury holds too little ${token.symbol}`)
    }
  }
}

function spentBy(order: Order): Map<Address | null, bigint> {
  const spent = new Map<Address | null, bigint>()
  for (const { amount } of transfersOf(order)) {
    const { contract } = amount.token
    spent.set(contract, (spent.get(contract) ?? 0n) + amount.units)
  }
  return spent
}

/**
 * Why the recipient is refused; null if it is not. An address owned by a token program is a token account or a mint,
 * pasted by mistake.
 */
async function refusedRecipient(node: Node, order: Order): Promise<string | null> {
  if (order.kind !== 'transfers') return null
  const recipients = [...new Set(order.transfers.map(({ to }) => to))]
  const [{ accounts: found }] = await node.ask([accounts(recipients)])
  const position = found.findIndex((account) => account?.executable || isTokenProgram(account?.owner))
  return position < 0 ? null : `${recipients[position]} is a program or belongs to the token program`
}

/** Simulates the transaction: returns the compute units used, or why the chain would reject it. */
async function tryOut(chain: SolanaChain, node: Node, order: Order, plan: Plan): Promise<Simulation | string> {
  const budget = budgetInstructions({ units: MOST_UNITS, unitPrice: 0n })
  const instructions = [...budget, ...(await instructionsOf(chain.settings, order, plan))]
  const unsigned = withBlockhash(chain.treasury, chain.treasury, instructions)
  const [trial] = await node.ask([simulate(toBase64(wireBytes(unsigned)))])
  if (trial.err === null) return trial
  const reason = `${JSON.stringify(trial.err)} ${trial.logs.at(-1) ?? ''}`.trim()
  // A text names a problem of the whole transaction, such as funds or a lock: it may be temporary.
  if (typeof trial.err === 'string') throw new RetryLater(`a simulation failed: ${reason}`)
  return reason
}
