/** Limits, switches, approvals, screening, reconciliation and unmatched deposits, through the whole service. */

import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { HoldCode, Token } from '@causeway/core'
import { SANDBOX_MNEMONIC } from '@causeway/devnet'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addJob } from '../../../server/src/store/db/jobs.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { admin } from '../../support/service/accounts.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'BASE_SEPOLIA'

let world: World
let eth: Token
let usdc: Token
let denied: string

beforeAll(async () => {
  denied = path.join(await mkdtemp(path.join(os.tmpdir(), 'causeway-denied-')), 'denied.txt')
  writeFileSync(denied, '# nobody yet\n')
  world = await startWorld({ SCREENING_FILE: denied, RECONCILE_INTERVAL_SECONDS: '1' })
  eth = world.token(FROM, 'ETH')
  usdc = world.token(TO, 'USDC')
})
afterAll(() => world.stop())
afterEach(async () => {
  await liftAll()
  await rulesAreKnown()
})

/** Runs an operator command, as the command line does. */
async function operator(...words: string[]): Promise<void> {
  const services = world.sandbox.service?.services
  if (!services) throw new Error('the service is not there')
  await admin(services, ...words)
}

/** Commands that remove what a test has set. */
const standing: string[][] = []

async function liftAll(): Promise<void> {
  for (const lift of standing.splice(0)) await operator(...lift)
}

function swapFor(body: Record<string, unknown> = {}): Promise<WireSwap> {
  return world.client.create({
    source_network: FROM,
    source_token: 'ETH',
    destination_network: TO,
    destination_token: 'USDC',
    destination_address: world.stranger(),
    amount: 0.1,
    ...body,
  })
}

/** The service reloads its rules every few seconds: here it does so at once. */
async function rulesAreKnown(): Promise<void> {
  await world.sandbox.service?.services.safeguards.refresh()
}

async function pauseFor(scope: string, what: 'swaps' | 'payouts'): Promise<void> {
  await operator('switch', 'pause', '--scope', scope, '--what', what, '--reason', 'maintenance')
  standing.push(['switch', 'resume', '--scope', scope])
}

async function limit(kind: string, scope: string, usd: number): Promise<void> {
  await operator('limit', 'set', '--kind', kind, '--scope', scope, '--usd', `${usd}`)
  standing.push(['limit', 'clear', '--kind', kind, '--scope', scope])
}

/** Waits until the swap's payout is held for this reason, and returns the arguments of an answer. */
function held(swapId: string, code: HoldCode): Promise<string[]> {
  return eventually(async () => {
    const [row] = await world.query<{ payout: string; hold: string }>(
      `select payout.id as payout, hold.id as hold from payout join hold on hold.payout_id = payout.id
       where swap_id = $1 and state = 'open' and closed_at is null and code = $2`,
      [swapId, code],
    )
    return row && ['--id', row.payout, '--hold', row.hold]
  }, `a payout held for ${code}`)
}

function services() {
  const { service } = world.sandbox
  if (!service) throw new Error('the service does not run')
  return service.services
}

async function expectPaid(swap: WireSwap): Promise<void> {
  const ended = await world.client.reaches(swap.swap.id, 'completed')
  const to = ended.swap.transactions.find(({ type }) => type === 'output')?.to ?? ''
  expect(await world.balance(usdc, to)).toBe(unitsOf(swap.quote.receive_amount, usdc))
}

describe('switches', () => {
  it.each(['service', `network:${TO}`, `token:${FROM}/native`])('%s: no new swap while paused', async (scope) => {
    await pauseFor(scope, 'swaps')
    await rulesAreKnown()
    await expect(swapFor()).rejects.toThrow(/ROUTE_NOT_FOUND_ERROR: This route is paused\.$/)
  })

  it('payouts wait while paused, and go out when it is over', async () => {
    await pauseFor(`network:${TO}`, 'payouts')
    const swap = await swapFor()
    await world.deposit(eth, actionOf(swap))
    await held(swap.swap.id, 'paused')
    expect((await world.client.swap(swap.swap.id)).swap.status).toBe('ls_transfer_pending')
    await liftAll()
    await expectPaid(swap)
  })
})

describe('limits', () => {
  it('a payout above the threshold waits until an operator approves it', async () => {
    await limit('approval_above', 'service', 100)
    const swap = await swapFor()
    await world.deposit(eth, actionOf(swap))
    const payout = await held(swap.swap.id, 'approval_needed')
    await operator('payout', 'approve', ...payout)
    await expectPaid(swap)
  })

  it('a payout that is rejected is never sent: the deposit goes back', async () => {
    await limit('approval_above', `network:${TO}`, 100)
    const refundTo = world.stranger()
    const swap = await swapFor({ refund_address: refundTo })
    await world.deposit(eth, actionOf(swap))
    const payout = await held(swap.swap.id, 'approval_needed')
    await operator('payout', 'reject', ...payout)
    const ended = await world.client.reaches(swap.swap.id, 'refunded')
    expect(ended.swap.transactions.some(({ type }) => type === 'output')).toBe(false)
    expect(await world.balance(eth, refundTo)).toBeGreaterThan(0n)
  })

  it('payouts beyond the hourly outflow wait, and new swaps are told what is left', async () => {
    const swap = await swapFor()
    await limit('hourly_outflow', `token:${TO}/${usdc.contract}`, 1)
    await world.deposit(eth, actionOf(swap))
    await held(swap.swap.id, 'outflow_limit')
    await rulesAreKnown()
    await expect(swapFor()).rejects.toThrow('NETWORK_CURRENCY_DAILY_LIMIT_REACHED')
    await liftAll()
    await expectPaid(swap)
  })

  it('a swap may not be larger than the limit for one', async () => {
    await limit('swap_max', `route:${FROM}/native>${TO}/${usdc.contract}`, 200)
    await rulesAreKnown()
    await expect(swapFor()).rejects.toThrow('GREATER_THAN_MAX_ERROR')
  })

  it('a hot wallet at its ceiling takes no more of a token', async () => {
    await limit('wallet_ceiling', `network:${FROM}`, 1)
    await rulesAreKnown()
    await expect(swapFor()).rejects.toThrow('ROUTE_NOT_FOUND_ERROR')
  })
})

describe('row 10: screening', () => {
  it('an address on the list is refused at creation', async () => {
    const address = world.stranger()
    writeFileSync(denied, `${address}  # by its spelling in lower case\n`)
    await expect(swapFor({ destination_address: address })).rejects.toThrow('BLACKLISTED_ADDRESS')
    await expect(swapFor({ refund_address: address })).rejects.toThrow('BLACKLISTED_ADDRESS')
  })

  it('a sender that is listed meanwhile holds the payout, and nothing is refunded automatically', async () => {
    const swap = await swapFor()
    writeFileSync(denied, `${world.account(FROM, 8).address}\n`)
    await world.deposit(eth, actionOf(swap), { account: 8 })
    const payout = await held(swap.swap.id, 'screened')
    const waiting = await world.client.swap(swap.swap.id)
    expect(waiting.swap.status).toBe('ls_transfer_pending')
    expect(waiting.swap.transactions.some(({ type }) => type === 'refund')).toBe(false)
    await operator('payout', 'approve', ...payout)
    await expectPaid(swap)
    writeFileSync(denied, '')
  })
})

describe('reconciliation', () => {
  it('coins that leave without a payout halt the wallet until an operator has checked', async () => {
    const account = mnemonicToAccount(SANDBOX_MNEMONIC)
    expect(account.address).toBe(world.sandbox.treasuries[TO])
    await eventually(async () => {
      const rows = await world.query(
        "select 1 from reconciliation where network = $1 and account = $2 and token = 'native' and opened",
        [TO, account.address],
      )
      return rows.length > 0
    }, 'the books to be opened')
    const chain = { ...hardhat, id: Number(world.sandbox.catalogue.network(TO).chainId) }
    const transport = http(world.devnet(TO).nodes[TO])
    const thief = createWalletClient({ account, chain, transport }).extend(publicActions)
    await thief.sendTransaction({ to: world.stranger() as Hex, value: 10n ** 18n })
    await eventually(async () => {
      const rows = await world.query(
        "select 1 from hold where network = $1 and closed_at is null and code = 'shortfall' and params->>'symbol' = 'ETH'",
        [TO],
      )
      return rows.length > 0
    }, 'the wallet to be halted')
    const swap = await swapFor()
    await world.deposit(eth, actionOf(swap))
    await held(swap.swap.id, 'wallet_halted')
    await eventually(async () => {
      const rows = await world.query(
        `select from halt_difference join reconciliation using (network, account, token)
         where network = $1 and ledger_units - chain_units = units`,
        [TO],
      )
      return rows.length > 0
    }, 'all that is missing to be known')
    // The operator has checked, and accepts the balance.
    const [lost] = await world.query<{ units: string }>('select units from halt_difference where network = $1', [TO])
    const causes = await world.query<{ id: string }>('select id from hold where network = $1 and closed_at is null', [
      TO,
    ])
    const holds = causes.map(({ id }) => id).join()
    const halted = ['--network', TO, '--wallet', account.address, '--hold', holds]
    await operator('wallet', 'release', ...halted, '--accept', lost?.units ?? '')
    await expectPaid(swap)
  })

  it('the ledger balances and equals the chain at rest', async () => {
    for (const network of [FROM, TO]) {
      const treasury = world.sandbox.treasuries[network] ?? ''
      for (const token of world.sandbox.catalogue.network(network).tokens) {
        await eventually(async () => {
          const [row] = await world.query<{ units: string }>(
            `select coalesce(sum(units), 0) as units from ledger_entry
             where account = 'wallet' and owner = $1 and network = $2 and token = $3`,
            [treasury, network, token.contract ?? 'native'],
          )
          return BigInt(row?.units ?? -1) === (await world.balance(token, treasury))
        }, `the books of ${token.symbol} on ${network} to agree`)
      }
    }
    const broken = await world.query(
      'select 1 from ledger_entry group by posting, network, token having sum(units) <> 0',
    )
    expect(broken).toEqual([])
  })
})

describe('a deposit that matched no swap', () => {
  async function unmatched(units: bigint): Promise<string> {
    const treasury = world.sandbox.treasuries[FROM] ?? ''
    const hash = await world.devnet(FROM).transfer(world.account(FROM, 3), eth, treasury, units)
    return eventually(async () => {
      const [row] = await world.query<{ id: string }>(
        "select id from deposit where tx_hash = $1 and swap_id is null and state = 'confirmed'",
        [hash],
      )
      return row?.id
    }, 'the deposit to be kept as unmatched')
  }
  const order = (job: Parameters<typeof addJob>[1]) => addJob(services().database, job)
  /** Until every payout of this kind was checked. */
  const workedOff = (task: string) =>
    eventually(async () => {
      const waiting = await world.query('select 1 from graphile_worker.jobs where task_identifier = $1', [task])
      return waiting.length === 0
    }, 'the orders to be worked off')

  it('can be assigned to its swap, which then goes on as usual', async () => {
    const swap = await swapFor()
    const depositId = await unmatched(10n ** 17n)
    await operator('unmatched', 'assign', '--deposit', depositId, '--swap', swap.swap.id)
    await order({ task: 'assign', payload: { depositId, swapId: swap.swap.id } })
    await workedOff('assign')
    await expectPaid(swap)
    expect(await world.query('select kind from payout where swap_id = $1', [swap.swap.id])).toEqual([
      { kind: 'output' },
    ])
  })

  it('can be sent back once, less the gas', async () => {
    const depositId = await unmatched(10n ** 17n)
    // An address that would lose the money is refused, and the deposit waits for another one.
    for (const lost of [`0x${'0'.repeat(40)}`, 'nowhere'])
      await order({ task: 'sendBack', payload: { depositId, to: lost } })
    await workedOff('sendBack')
    expect(await world.query('select 1 from payout where deposit_id = $1', [depositId])).toEqual([])
    const to = world.stranger()
    await operator('unmatched', 'refund', '--deposit', depositId, '--to', to)
    await order({ task: 'sendBack', payload: { depositId, to } })
    await workedOff('sendBack')
    const back = await eventually(async () => {
      const [row] = await world.query<{ units: string }>(
        "select units from payout where deposit_id = $1 and state = 'confirmed'",
        [depositId],
      )
      return row && BigInt(row.units)
    }, 'the return to be confirmed')
    expect(await world.query('select 1 from payout where deposit_id = $1', [depositId])).toHaveLength(1)
    expect(await world.balance(eth, to)).toBe(back)
    expect(back < 10n ** 17n).toBe(true)
  })
})
