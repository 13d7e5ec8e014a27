/** Compares the chains, transaction by transaction, with deposits and payouts: each credited once, each paid once. */
import { parseDecimalReference } from '@causeway/core'
import type { Move, SealedTransaction } from '../../../chains/simulated/src/transaction.ts'
import { isForgotten, type World } from '../world/world.ts'
import type { Problem } from './problem.ts'

interface DepositRow {
  network: string
  token: string
  tx_hash: string
  index: number
  units: string
  state: string
  swap: number | null
  reference: string | null
  resolution: string | null
}

interface PayoutRow {
  id: string
  swap: number | null
  kind: string
  state: string
  network: string
  token: string
  units: string
  to_address: string
  hashes: string[]
}

export async function checkChains(world: World): Promise<Problem[]> {
  return [...(await checkDeposits(world)), ...(await checkPayouts(world))]
}

interface LandedMove {
  network: string
  transaction: SealedTransaction
  index: number
}

/** All transfers in blocks that were not reverted. */
export function* movesOn(world: World): Generator<LandedMove> {
  for (const [network, chain] of world.chains) {
    for (let height = 0; height <= chain.height; height++) {
      for (const { transaction, reverted } of chain.blockAt(height)?.transactions ?? []) {
        if (reverted) continue
        for (const index of transaction.moves.keys()) yield { network, transaction, index }
      }
    }
  }
}

async function checkDeposits(world: World): Promise<Problem[]> {
  const rows = await world.query<DepositRow>(
    `select d.network, d.token, d.tx_hash, d.index, d.units, d.state, s.reference::float8 as swap, d.reference, d.resolution
     from deposit d left join swap s on s.id = d.swap_id where not d.replaced`,
  )
  const owned = new Set(
    (await world.query<{ address: string }>('select address from deposit_address')).map(({ address }) => address),
  )
  const problems: Problem[] = []
  const onChain = new Set<string>()
  for (const { network, transaction, index } of movesOn(world)) {
    const treasury = world.base.chains.get(network)?.treasury ?? ''
    const isOurs = (address: string) => address === treasury || owned.has(address)
    const move = transaction.moves[index]
    const isListed = world.base.catalogue.network(network).tokens.some(({ contract }) => contract === move?.contract)
    if (
      !move ||
      !isListed ||
      isForgotten(world, { network, contract: move.contract }) ||
      !isOurs(move.to) ||
      isOurs(move.from)
    )
      continue
    onChain.add(`${network} ${transaction.hash} ${index}`)
    const found = rows.filter(
      (row) => row.network === network && row.tx_hash === transaction.hash && row.index === index,
    )
    const name = `${transaction.hash.slice(0, 8)}/${index} on ${network}`
    const swap = found[0]?.swap ?? null
    if (found.length !== 1) problems.push({ what: `the deposit ${name} is credited ${found.length} times`, swap })
    const [row] = found
    if (row && row.state !== 'confirmed')
      problems.push({ what: `the deposit ${name} is on chain and counts as ${row.state}`, swap })
    if (row && BigInt(row.units) !== move.units)
      problems.push({ what: `the deposit ${name} counts ${row.units} of ${move.units}`, swap })
    const memo = transaction.moves.length === 1 && transaction.memo ? parseDecimalReference(transaction.memo) : null
    if (row && move.to === treasury && swap !== null && row.resolution === null && memo !== BigInt(swap))
      problems.push({ what: `the deposit ${name} names another swap`, swap })
  }
  for (const row of rows) {
    const isThere = onChain.has(`${row.network} ${row.tx_hash} ${row.index}`)
    const contract = row.token === 'native' ? null : row.token
    if (row.state === 'confirmed' && !isThere && !isForgotten(world, { network: row.network, contract }))
      problems.push({ what: `the deposit ${row.tx_hash.slice(0, 8)} counts and is not on chain`, swap: row.swap })
  }
  return problems
}

function isFor(row: PayoutRow, { to, units, contract }: Move): boolean {
  return to === row.to_address && `${units}` === row.units && (contract ?? 'native') === row.token
}

async function checkPayouts(world: World): Promise<Problem[]> {
  const rows = await world.query<PayoutRow>(
    `select p.id, s.reference::float8 as swap, p.kind, p.state, p.network, p.token, p.units, p.to_address,
       coalesce(array_agg(a.hash) filter (where a.hash is not null), '{}') as hashes
     from payout p left join swap s on s.id = p.swap_id
     left join slot_payout sp on sp.payout_id = p.id left join attempt a on a.slot_id = sp.slot_id
     group by p.id, s.reference`,
  )
  const landed = new Map<string, number>()
  const matched = new Set<string>()
  const problems: Problem[] = []
  for (const { network, transaction, index } of movesOn(world)) {
    const treasury = world.base.chains.get(network)?.treasury
    const move = transaction.moves[index]
    if (transaction.account !== treasury || !move) continue
    if (world.foreign.some(({ hash }) => hash === transaction.hash)) continue
    const own = rows.filter(({ hashes }) => hashes.includes(transaction.hash))
    // Two payouts of one batch may be equal: each is matched to another transfer.
    const left = own.filter(({ id }) => !matched.has(`${transaction.hash} ${id}`))
    const payout = left.find((row) => row.kind === 'sweep' || isFor(row, move)) ?? left[0] ?? own[0]
    if (payout && payout.kind !== 'sweep') matched.add(`${transaction.hash} ${payout.id}`)
    const name = `${transaction.hash.slice(0, 8)} on ${network}`
    if (!payout) {
      problems.push({ what: `the transfer ${name} belongs to no payout`, swap: null })
      continue
    }
    if (payout.kind === 'sweep') continue
    landed.set(payout.id, (landed.get(payout.id) ?? 0) + 1)
    if (!isFor(payout, move)) problems.push({ what: `the transfer ${name} is not what was ordered`, swap: payout.swap })
  }
  for (const { id, kind, state, swap } of rows) {
    if (kind === 'sweep') continue
    const times = landed.get(id) ?? 0
    const expected = state === 'confirmed' ? 1 : 0
    if (times !== expected) problems.push({ what: `a ${state} ${kind} is on chain ${times} times`, swap })
  }
  return problems
}
