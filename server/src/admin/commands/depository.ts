/**
 * `depository`: the contracts that deposits go through. A change is ordered here and sent by the running service like a
 * payout, so that no nonce is used twice. Calls that only another owner may make are printed for that owner.
 */
import {
  type ChainAdapter,
  type ContractChange,
  type Depository,
  type DepositoryChange,
  PayoutImpossible,
} from '@causeway/core'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { insertCall } from '../../store/swaps/gasless.ts'
import { type Command, type CommandContext, change, needed, table, UsageError } from '../context/command-context.ts'
import { ADDRESS, NETWORK } from '../context/forms.ts'

const DRY_RUN = 'dry-run'
const WITH_PAYMASTER = 'with-paymaster'

export const depositoryCommands: Record<string, Command> = {
  status: {
    usage: 'status --network NAME',
    help: 'Shows the on-chain state: addresses, owner, receivers, and whether it is paused.',
    takes: { options: { network: NETWORK } },
    async run(desk, { values }) {
      const { depository } = await placeOf(desk, needed(values, 'network'))
      const facts = Object.entries(await depository.report())
      table(
        desk,
        ['what', 'value'],
        facts.map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') || 'none' : String(value)]),
      )
    },
  },
  deploy: {
    usage: `deploy --network NAME [--${WITH_PAYMASTER}] [--${DRY_RUN}]`,
    help: `Deploys the missing contracts. The Paymaster only if depository_owner is another key than the treasury, or with --${WITH_PAYMASTER}.`,
    takes: { options: { network: NETWORK }, flags: [DRY_RUN, WITH_PAYMASTER] },
    async run(desk, { values, flags }) {
      const relaysForOwner = flags.has(WITH_PAYMASTER)
      const place = await placeOf(desk, needed(values, 'network'))
      await bringAbout(desk, place, { action: 'deploy', relaysForOwner }, flags.has(DRY_RUN))
    },
  },
  factory: simple('factory', 'Deploys the factory of deposit addresses. They are offered once it stands.'),
  pause: simple('pause', 'Stops new deposits through it. Nothing that was deposited is touched.'),
  unpause: simple('unpause', 'Lets deposits through again.'),
  rotate: {
    usage: `rotate --network NAME --from ADDRESS --to ADDRESS [--${DRY_RUN}]`,
    help: 'Replaces a receiver. This service sees deposits to its own treasury only.',
    takes: { options: { network: NETWORK, from: ADDRESS, to: ADDRESS }, flags: [DRY_RUN] },
    async run(desk, { values, flags }) {
      const place = await placeOf(desk, needed(values, 'network'))
      const address = (name: 'from' | 'to') => {
        const parsed = place.chain.parseAddress(needed(values, name))
        if (parsed === null) throw new UsageError(`--${name} is no address of ${place.chain.network.name}`)
        return parsed
      }
      await bringAbout(desk, place, { action: 'rotate', from: address('from'), to: address('to') }, flags.has(DRY_RUN))
    },
  },
}

function simple(action: 'factory' | 'pause' | 'unpause', help: string): Command {
  return {
    usage: `${action} --network NAME [--${DRY_RUN}]`,
    help,
    takes: { options: { network: NETWORK }, flags: [DRY_RUN] },
    async run(desk, { values, flags }) {
      await bringAbout(desk, await placeOf(desk, needed(values, 'network')), { action }, flags.has(DRY_RUN))
    },
  }
}

interface Place {
  chain: ChainAdapter
  depository: Depository
}

async function placeOf(desk: CommandContext, network: string): Promise<Place> {
  if (!desk.chain) throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const chain = await desk.chain(network)
  if (!chain.depository) throw new UsageError(`${network} has no Depository`)
  return { chain, depository: chain.depository }
}

async function bringAbout(
  desk: CommandContext,
  place: Place,
  wanted: DepositoryChange,
  dryRun: boolean,
): Promise<void> {
  const changes = await place.depository.change(wanted)
  if (changes.length === 0) return desk.print('nothing is to be done')
  for (const one of changes) {
    desk.print(one.title)
    const isOurs = one.by === null || one.by === place.chain.treasury
    if (!isOurs) desk.print(`  only its owner ${one.by} may do this; nothing is sent. To be sent from there:`)
    if (!isOurs || dryRun) desk.print(`  to    ${one.to}\n  data  ${one.data}`)
    if (isOurs && dryRun) desk.print(`  ${await trialOf(place.chain, one)}`)
    if (isOurs && !dryRun) await order(desk, place.chain, wanted, one)
  }
}

/** Simulates the change. Nothing is signed. */
async function trialOf(chain: ChainAdapter, { call }: ContractChange): Promise<string> {
  try {
    await chain.prepare({ kind: 'transfers', account: chain.treasury, transfers: [], call }, null)
    return 'dry run: it would go through, and was not sent'
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return `dry run: ${error instanceof PayoutImpossible ? 'the chain would refuse it' : 'it could not be tried'}: ${error.message}`
  }
}

async function order(
  desk: CommandContext,
  { treasury, network }: ChainAdapter,
  wanted: DepositoryChange,
  { title, to, call }: ContractChange,
): Promise<void> {
  const payout = await change(
    desk,
    `depository ${wanted.action}`,
    { network: network.name, title },
    async (queries) => {
      const token = network.nativeToken
      const now = desk.now()
      const ordered = await insertCall(queries, { kind: 'admin', token, units: 0n, account: treasury, to, call, now })
      const lane = laneOf(ordered.network, ordered.account)
      await addJob(queries, { task: 'pay', payload: { payoutId: ordered.id }, lane })
      return ordered
    },
  )
  desk.print(`  ordered as ${payout.id}; the service sends it, and "depository status" shows when it is done`)
}
