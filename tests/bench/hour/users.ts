/**
 * People who swap, each into an address of their own and with a refund address of their own, so that what everybody got can
 * be read from the chains. Most pay what they said; some pay to a deposit address, too little, too much, late, twice or never.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Token, TxHash } from '@causeway/core'
import { strangerOn } from '@causeway/devnet'
import { loadFamily } from '@causeway/server'
import type { Random } from '../../sim/world/random.ts'
import { actionOf, unitsOf, type World } from '../../support/processes/world.ts'
import type { WireSwap } from '../../support/service/client.ts'
import type { Fleet } from './fleet.ts'

const KINDS = { direct: 8, address: 5, refuel: 3, under: 1, over: 2, late: 2, twice: 2, never: 1 } as const
type Kind = keyof typeof KINDS

export interface Story {
  id: string
  kind: Kind
  source: Token
  destination: Token
  recipient: Address
  refundTo: Address
  /** The requested amount, and the promised one. */
  units: bigint
  receiveUnits: bigint
  minReceiveUnits: bigint
  feeUnits: bigint
  /** Amounts really sent, by transaction. */
  deposits: Map<TxHash, bigint>
}

export interface Users {
  stories: Story[]
  /** Requests without an answer, or refused. */
  refused: number
  /** Makes a swap and begins to act on it. */
  comeAlong(fleet: Fleet): Promise<void>
  /** Once everybody has done what they meant to do. */
  done(): Promise<void>
}

export interface Manners {
  windowMs: number
  prices: Readonly<Record<string, number>>
}

/** In dollars: well above what a local chain costs, well below what wants an approval. */
const WORTH = [40, 200] as const
/** A tenth of it is below what can be swapped on some routes and not on others: either way it must end well. */
const TOO_LITTLE = 10n
const TOO_MUCH = 3n
const SECOND_AFTER_MS = 15_000

export function startUsers(world: World, random: Random, { windowMs, prices }: Manners): Users {
  const tokens = world.sandbox.catalogue.networks.flatMap((network) => network.tokens)
  const acting = new Set<Promise<void>>()
  /** A wallet makes one transaction after the other. */
  const lines = new Map<string, Promise<unknown>>()

  function inLine<T>(network: string, work: () => Promise<T>): Promise<T> {
    const mine = (lines.get(network) ?? Promise.resolve()).then(work)
    lines.set(
      network,
      mine.catch(() => undefined),
    )
    return mine
  }

  async function stranger(name: string): Promise<Address> {
    const network = world.sandbox.catalogue.network(name)
    return strangerOn({ network, family: await loadFamily(network.type) })
  }

  async function send(story: Story, made: WireSwap, units: bigint): Promise<void> {
    const action = actionOf(made)
    // Where the amount stands inside the call it is what was asked for.
    const sent = action.amount_in_base_units === '0' ? {} : { units }
    const hash = await inLine(story.source.network, () => world.deposit(story.source, action, sent))
    story.deposits.set(hash, units)
  }

  async function act(story: Story, made: WireSwap): Promise<void> {
    const { kind, units } = story
    if (kind === 'never') return
    if (kind === 'late') await sleep(windowMs + 5_000)
    await send(story, made, kind === 'under' ? units / TOO_LITTLE : kind === 'over' ? units * TOO_MUCH : units)
    if (kind !== 'twice') return
    await sleep(SECOND_AFTER_MS)
    await send(story, made, units)
  }

  const users: Users = {
    stories: [],
    refused: 0,
    async comeAlong(fleet) {
      const [source, destination] = [random.pick(tokens), random.pick(tokens)]
      const kind = random.weighted(KINDS)
      const worth = random.between(...WORTH)
      const node = fleet.any()
      if (source === destination) return
      const amount = (worth / (prices[source.group ?? ''] ?? 1)).toFixed(Math.min(source.precision, 8))
      const [recipient, refundTo] = [await stranger(destination.network), await stranger(source.network)]
      const hasRefuel = kind === 'refuel' && destination.contract !== null
      // A token's amount stands inside the call: another one can only be sent to an address.
      const isOff = kind === 'under' || kind === 'over'
      const body = {
        source_network: source.network,
        source_token: source.symbol,
        destination_network: destination.network,
        destination_token: destination.symbol,
        destination_address: recipient,
        refund_address: refundTo,
        amount,
        refuel: hasRefuel,
        source_address: world.account(source.network, 0).address,
        use_deposit_address: kind === 'address' || (isOff && source.contract !== null),
      }
      const made = await node.client.create(body).catch((error: unknown) => {
        if (process.env.DEBUG)
          console.log(`    refused: ${error instanceof Error ? error.message : error} ${JSON.stringify(body)}`)
        return null
      })
      if (!made) {
        users.refused++
        return
      }
      const { receive_amount, min_receive_amount, total_fee } = made.quote
      const story: Story = {
        id: made.swap.id,
        kind,
        source,
        destination,
        recipient,
        refundTo,
        units: unitsOf(made.quote.requested_amount, source),
        receiveUnits: unitsOf(receive_amount, destination),
        minReceiveUnits: unitsOf(min_receive_amount, destination),
        feeUnits: unitsOf(total_fee, source),
        deposits: new Map(),
      }
      users.stories.push(story)
      const acted: Promise<void> = act(story, made)
        .catch((error: unknown) => console.log(`    a user could not act (${kind}, ${source.network}): ${error}`))
        .finally(() => acting.delete(acted))
      acting.add(acted)
    },
    async done() {
      while (acting.size > 0) await Promise.all(acting)
    },
  }
  return users
}
