/** One swap of the demo from creation to its end, as an integrator and a depositor would do it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { plainNumber, type SwapDetails, type Token } from '@causeway/sdk'
import type { Client } from './client.ts'
import { isOver, type Outcome, problemsOf } from './expect.ts'
import type { Scenario } from './plan.ts'

export interface Result {
  scenario: Scenario
  details: SwapDetails | null
  problems: string[]
  ms: number
}

/** Enough to be worth its fees on any network, and little enough for one confirmation. */
const SWAP_USD = 30
/** Fees, and with them a minimum, may change between reading and use. */
const ABOVE_MIN = 2.5
const POLL_MS = 600
/** The wait after the window closed, for two busy cores, deep confirmations and a refund. */
const END_TIMEOUT_MS = 60_000

export async function runScenario(
  client: Client,
  scenario: Scenario,
  options: { account: number; windowMs: number; onStatus: (status: string) => void },
): Promise<Result> {
  const began = performance.now()
  let details: SwapDetails | null = null
  let problems: string[]
  try {
    const outcome = await play(client, scenario, options, (seen) => {
      details = seen
      options.onStatus(seen.swap.status)
    })
    problems = await problemsOf(client, scenario, outcome)
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)]
  }
  return { scenario, details, problems, ms: performance.now() - began }
}

async function play(
  client: Client,
  scenario: Scenario,
  { account, windowMs }: { account: number; windowMs: number },
  see: (details: SwapDetails) => void,
): Promise<Outcome> {
  const { source, destination, method, refuel } = scenario
  const recipient = await client.address(destination.network.name)
  const refundAddress = scenario.givesRefundAddress ? await client.address(source.network.name) : null
  const route = {
    source_network: source.network.name,
    source_token: source.token.contract ?? source.token.symbol,
    destination_network: destination.network.name,
    destination_token: destination.token.contract ?? destination.token.symbol,
  }
  const flags = {
    refuel,
    use_deposit_address: method === 'deposit address',
    use_depository: method === 'depository',
    use_gasless: method === 'gasless',
  }
  const asText = Object.entries(flags).map(([name, value]) => [name, `${value}`])
  const limits = await client.limits({ ...route, ...Object.fromEntries(asText) })
  const amounts = amountsFor(scenario, limits)
  const created = await client.create({
    ...route,
    ...flags,
    amount: amounts.asked,
    destination_address: recipient,
    refund_address: refundAddress,
    source_address: method === 'deposit address' ? null : await addressOf(client, source.network.name, account),
  })
  see(created)
  const { id } = created.swap
  if (amounts.sent !== null) {
    const isAsAsked = amounts.sent === amounts.asked
    await client.deposit({ swap_id: id, account, ...(isAsAsked ? {} : { amount: amounts.sent }) })
  }
  if (scenario.deposit === 'twice') {
    await untilOver(client, { ...scenario, deposit: 'as asked' }, id, END_TIMEOUT_MS, see)
    // From another account that knows the reference: some chains accept only one transfer per sender with it.
    await client.deposit({ swap_id: id, account: account === 0 ? 1 : 0 })
  }
  const details = await untilOver(client, scenario, id, windowMs + END_TIMEOUT_MS, see)
  return { details, recipient, refundAddress, deposited: amounts.sent }
}

/** Some actions are made for one sender: a prepared transaction, or a signature. */
async function addressOf(client: Client, network: string, account: number): Promise<string> {
  const found = (await client.accounts()).find((entry) => entry.network === network)?.accounts[account]
  if (!found) throw new Error(`no test account ${account} on ${network}`)
  return found.address
}

/** The requested amount (null: open) and the sent one (null: nothing). */
function amountsFor(
  { source: { token }, deposit }: Scenario,
  limits: { min_amount: number; max_amount: number },
): { asked: string | null; sent: string | null } {
  const usual = Math.max(SWAP_USD / token.price_in_usd, ABOVE_MIN * limits.min_amount)
  const asked = cut(token, usual)
  switch (deposit) {
    case 'as asked':
    case 'twice':
      return { asked, sent: asked }
    case 'none':
      return { asked, sent: null }
    case 'part of it':
      return { asked, sent: cut(token, usual / 2) }
    case 'below the minimum':
      return { asked, sent: cut(token, limits.min_amount * 0.8) }
    case 'above the maximum':
      return { asked: null, sent: cut(token, limits.max_amount * 1.2) }
  }
}

/** A decimal amount with no more digits than the token shows. */
function cut(token: Token, amount: number): string {
  return plainNumber(Number(amount.toFixed(Math.min(token.precision, token.decimals))))
}

async function untilOver(
  client: Client,
  scenario: Scenario,
  id: string,
  timeoutMs: number,
  see: (details: SwapDetails) => void,
): Promise<SwapDetails> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const details = await client.swap(id)
    see(details)
    // After the deadline it is judged as it is, and the missing parts are listed.
    if (isOver(scenario, details) || performance.now() > deadline) return details
    await sleep(POLL_MS)
  }
}
