/**
 * Users who swap, each with their own recipient and refund address, so that each result can be read from the chains.
 * Most pay as requested; some pay to a deposit address, too little, too much, late, twice or never.
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
  /** The amounts really sent, by transaction. */
  deposits: Map<TxHash, bigint>
}

export interface Users {
  stories: Story[]
  /** Requests without an answer, or refused. */
  refused: number
  /** Creates a swap and starts acting on it. */
  comeAlong(fleet: Fleet): Promise<void>
  /** Resolves once all users have finished. */
  done(): Promise<void>
}

export interface Manners {
  windowMs: number
  prices: Readonly<Record<string, number>>
}

/** In dollars: well above a local chain's fees, well below the approval threshold. */
const WORTH = [40, 200] as const
/** A tenth of this is below the minimum on some routes only: both cases must end correctly. */
const TOO_LITTLE = 10n
const TOO_MUCH = 3n
const SECOND_AFTER_MS = 15_000

export function startUsers(world: World, random: Random, { windowMs, prices }: Manners): Users {
  const tokens = world.sandbox.catalogue.networks.flatMap((network) => network.tokens)
  const acting = new Set<Promise<void>>()
  /** A wallet sends its transactions one after the other. */
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
    // If the amount is inside the call data, it is the requested one.
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
      // A token's amount is inside the call data: another amount can only be sent to an address.
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
