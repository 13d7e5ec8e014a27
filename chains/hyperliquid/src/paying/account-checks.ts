/**
 * Preconditions on the treasury's account: separate balances, no agent that could use up nonces, and actions left.
 * Checked periodically before a payout.
 */
import { RetryLater } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { accountMode, actionsLeft, agentsOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

const EVERY_MS = 600_000
/** Modes in which the spot balance is separate. */
const APART = ['disabled', 'default']
/** An account that does not trade has ten thousand actions in total, and then one per ten seconds. */
const FEW_ACTIONS = 1_000

export async function checkStanding(chain: HyperliquidChain, node: Node): Promise<void> {
  const { standing, treasury, network, log, now } = chain
  if (now() - standing.checkedAt < EVERY_MS) return
  const [mode, agents, left] = await Promise.all([
    node.ask(accountMode(treasury)),
    node.ask(agentsOf(treasury)),
    node.ask(actionsLeft(treasury)),
  ])
  const fields = { network: network.name, treasury }
  if (!APART.includes(mode)) {
    log.error({ ...fields, mode }, 'the treasury pools its balances: nothing is paid from it')
    throw new RetryLater(`the treasury is a ${mode}: its balances must be kept apart`)
  }
  if (agents.length > 0)
    log.error({ ...fields, agents }, 'an agent may act for the treasury: its agents must be revoked')
  if (left < FEW_ACTIONS) log.warn({ ...fields, left }, 'the treasury has few actions left: it needs a successor')
  standing.checkedAt = now()
}
