/** `campaign`: what was earned, ordered and paid in reward campaigns, pausing one, and rewards that were given up. */
import { campaignScope } from '../../market/safeguards.ts'
import { clearSwitch, listSwitches, type SwitchRow, setSwitch } from '../../store/limits/safeguards.ts'
import { readShownHolds } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { type CampaignSums, listRewardPayouts, releaseRewards, sumCampaigns } from '../../store/rewards/rewards.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  UsageError,
} from '../context/command-context.ts'
import { CAMPAIGN, ID, NUMBER, oneOf, optional, TEXT } from '../context/forms.ts'
import { holdIn } from '../context/hold-ref.ts'

const SHOWN = 50
const MOST = 10_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const PARTS: Record<string, { stops_swaps: boolean; stops_payouts: boolean }> = {
  earning: { stops_swaps: true, stops_payouts: false },
  payouts: { stops_swaps: false, stops_payouts: true },
  both: { stops_swaps: true, stops_payouts: true },
}

export const campaignCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists campaigns with their budgets and what was earned, ordered and paid.',
    takes: {},
    async run(desk) {
      const [rows, switches] = [await sumCampaigns(desk.database), await listSwitches(desk.database)]
      if (rows.length === 0) return desk.print('there is no campaign')
      table(
        desk,
        ['name', 'network', 'token', 'budget', 'earned', 'ordered', 'paid', 'paused'],
        rows.map((row) => [
          row.name,
          row.network,
          row.token,
          ...[row.budget_units, row.earned_units, row.ordered_units, row.paid_units].map((units) =>
            amountAt(desk, row.network, row.token, units),
          ),
          pauseOf(row, switches),
        ]),
      )
    },
  },
  show: {
    usage: 'show --name NAME',
    help: 'Shows one campaign: its sums, how many swaps and addresses earned, and whether it is paused.',
    takes: { options: { name: CAMPAIGN } },
    async run(desk, { values }) {
      const row = await campaignNamed(desk, needed(values, 'name'))
      const paused = pauseOf(row, await listSwitches(desk.database))
      const facts: [string, string][] = [
        ['name', row.name],
        ['token', `${row.network}/${row.token}`],
        ['budget', `${row.budget_units}`],
        ['earned', `${row.earned_units} by ${row.swaps} swaps of ${row.addresses} addresses`],
        ['left of the budget', `${row.budget_units - row.earned_units}`],
        ['ordered', `${row.ordered_units}`],
        ['paid', `${row.paid_units}`],
        ['not ordered yet', `${row.earned_units - row.ordered_units}`],
        ['paused', paused || 'no'],
      ]
      table(desk, ['what', 'value'], facts)
    },
  },
  pause: {
    usage: 'pause --name NAME --what earning|payouts|both --reason TEXT',
    help: 'Pauses a campaign: no new rewards, its payouts are held, or both. Rewards that were promised stay promised.',
    takes: { options: { name: CAMPAIGN, what: oneOf(Object.keys(PARTS)), reason: TEXT } },
    async run(desk, { values }) {
      const { name } = await campaignNamed(desk, needed(values, 'name'))
      const what = needed(values, 'what')
      const parts = Object.hasOwn(PARTS, what) ? PARTS[what] : undefined
      if (!parts) throw new UsageError('--what is earning, payouts or both')
      const reason = needed(values, 'reason')
      const now = await change(desk, 'campaign paused', { name, what, reason }, (queries) =>
        setSwitch(queries, { scope: campaignScope(name), reason, ...parts }),
      )
      desk.print(`${name}: ${stopped(now)} paused`)
    },
  },
  resume: {
    usage: 'resume --name NAME',
    help: 'Ends the pause of a campaign.',
    takes: { options: { name: CAMPAIGN } },
    async run(desk, { values }) {
      const { name } = await campaignNamed(desk, needed(values, 'name'))
      const cleared = await change(desk, 'campaign resumed', { name }, (queries) =>
        clearSwitch(queries, campaignScope(name)),
      )
      desk.print(cleared ? `${name} goes on` : `${name} was not paused`)
    },
  },
  payouts: {
    usage: 'payouts --name NAME [--last 50]',
    help: 'Lists the newest payouts of a campaign, also those that were given up.',
    takes: { options: { name: CAMPAIGN, last: optional(NUMBER) } },
    async run(desk, { values }) {
      const { name } = await campaignNamed(desk, needed(values, 'name'))
      const last = Number(values.last ?? SHOWN)
      if (!(Number.isInteger(last) && last > 0 && last <= MOST)) throw new UsageError(`--last is 1 to ${MOST}`)
      const rows = await listRewardPayouts(desk.database, name, last)
      if (rows.length === 0) return desk.print(`nothing was ordered in ${name} yet`)
      const holds = await readShownHolds(desk.database, rows)
      table(
        desk,
        ['id', 'period', 'to', 'units', 'state', 'transaction', 'ordered', 'held'],
        rows.map((row) => [
          row.id,
          `${row.period}`,
          row.to_address,
          amountAt(desk, row.network, row.token, row.units),
          row.state,
          row.tx_hash ?? '',
          row.created_at.toISOString(),
          holdIn(holds, row.id),
        ]),
      )
    },
  },
  retry: {
    usage: 'retry --payout PAYOUT_ID',
    help: 'Lets rewards whose payout was rejected or refused be paid again, in a new payout.',
    takes: { options: { payout: ID } },
    async run(desk, { values }) {
      const id = needed(values, 'payout')
      const payout = UUID.test(id) ? await readPayout(desk.database, id) : null
      if (payout?.kind !== 'reward')
        throw new UsageError(`there is no reward payout ${id}; "campaign payouts" lists them`)
      if (payout.state !== 'abandoned') throw new UsageError(`the payout ${id} was not given up: it is ${payout.state}`)
      const { campaign, to_address: address } = payout
      await change(desk, 'rewards retried', { payoutId: id, campaign, address }, async (queries) => {
        if ((await releaseRewards(queries, id)) === 0)
          throw new UsageError(`the rewards of ${id} are already waiting for, or part of, another payout`)
      })
      desk.print(`the rewards of ${id} are ordered again`)
    },
  },
}

async function campaignNamed(desk: CommandContext, name: string): Promise<CampaignSums> {
  const [row] = await sumCampaigns(desk.database, name)
  if (!row)
    throw new UsageError(`there is no campaign ${name}; "campaign list" shows those the service has started with`)
  return row
}

function pauseOf({ name }: CampaignSums, switches: SwitchRow[]): string {
  const paused = switches.find(({ scope }) => scope === campaignScope(name))
  return paused ? `${stopped(paused)}: ${paused.reason}` : ''
}

function stopped({ stops_swaps, stops_payouts }: { stops_swaps: boolean; stops_payouts: boolean }): string {
  return [...(stops_swaps ? ['earning'] : []), ...(stops_payouts ? ['payouts'] : [])].join(' and ')
}
