/** A wallet widget in a page, and the SDK: list routes, quote, create a swap, follow it, and find it again. */
import { randomUUID } from 'node:crypto'
import type { Sandbox } from '@causeway/devnet'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as reads from './reads.ts'
import { type Caller, callerOf, FROM, type Query, routeQuery, suffixOf, TO } from './service.ts'

const EVERYTHING: Query = [
  ['include_unmatched', 'true'],
  ['include_swaps', 'true'],
  ['include_unavailable', 'true'],
]
const BY_ADDRESS: Query = [
  ['include_unmatched', 'false'],
  ['include_swaps', 'false'],
  ['include_unavailable', 'false'],
  ['has_deposit_address', 'true'],
  ['include_swaps_via_deposit_address', 'true'],
]

export function widget(sandbox: () => Sandbox): void {
  const page = (): Caller => {
    const { url, keys } = sandbox()
    return callerOf(`${url}/api/v2`, { 'X-LS-APIKEY': keys.public, 'Access-Control-Allow-Origin': '*' })
  }
  const account = (index: number) => sandbox().devnets.get(FROM)?.accounts[index]?.address ?? ''

  describe('what can be swapped', () => {
    it('networks: all, or by types that are joined by commas, repeated, or both at once', async () => {
      const all = await page().read(z.array(reads.ListedNetwork), '/networks')
      expect(all.map(({ name }) => name).sort()).toEqual(
        sandbox()
          .catalogue.networks.map(({ name }) => name)
          .sort(),
      )
      const forms: Query[] = [
        [['network_types', 'evm,solana']],
        [
          ['network_types', 'evm'],
          ['network_types', 'solana'],
        ],
        [
          ['network_types', 'evm,solana'],
          ['network_types', 'evm'],
          ['network_types', 'solana'],
        ],
      ]
      for (const form of forms) {
        const some = await page().read(z.array(reads.ListedNetwork), '/networks', form)
        expect(new Set(some.map(({ type }) => type))).toEqual(new Set(['evm', 'solana']))
      }
      for (const { tokens } of all) expect(new Set(tokens.map(({ symbol }) => symbol)).size).toBe(tokens.length)
    })

    it.each(['sources', 'destinations'])(
      '%s: every network is one of /networks, and unreachable tokens are listed on demand',
      async (call) => {
        const known = (await page().read(z.array(reads.ListedNetwork), '/networks')).map(({ name }) => name)
        const rows = await page().read(z.array(reads.RouteNetwork).min(2), `/${call}`, EVERYTHING)
        expect(known).toEqual(expect.arrayContaining(rows.map(({ name }) => name)))
        const other = call === 'sources' ? 'destination' : 'source'
        const named: Query = [[`${other}_network`, TO], [`${other}_token`, 'USDC'], ...EVERYTHING]
        const reachable = await page().read(z.array(reads.RouteNetwork).min(2), `/${call}`, named)
        expect(reachable.flatMap(({ tokens }) => tokens.map(({ status }) => status))).toContain('active')
        const usable = await page().read(z.array(reads.RouteNetwork).min(1), `/${call}`, BY_ADDRESS)
        expect(new Set(usable.flatMap(({ tokens }) => tokens.map(({ status }) => status)))).toEqual(new Set(['active']))
      },
    )

    it('networks with deposit addresses say so, and the native token has no refuel of itself', async () => {
      const sources = await page().read(z.array(reads.RouteNetwork), '/sources', BY_ADDRESS)
      for (const { deposit_methods } of sources) expect(deposit_methods).toContain('deposit_address')
      const destinations = await page().read(z.array(reads.RouteNetwork), '/destinations', EVERYTHING)
      const tokens = destinations.find(({ name }) => name === TO)?.tokens ?? []
      expect(tokens.find(({ symbol }) => symbol === 'ETH')?.refuel).toBe(null)
      expect(tokens.find(({ symbol }) => symbol === 'USDC')?.refuel?.token.symbol).toBe('ETH')
    })

    it('exchanges and what they pay out to', async () => {
      const flags: Query = [
        ['include_unmatched', 'true'],
        ['include_swaps', 'false'],
        ['include_unavailable', 'true'],
      ]
      for (const query of [[], flags]) {
        await page().read(z.array(reads.SourceExchange).min(1), '/source_exchanges', query)
      }
      const [first] = await page().read(z.array(reads.Withdrawal).min(1), '/exchange_withdrawal_networks', [
        ['source_exchange', 'KRAKEN'],
        ['destination_network', TO],
        ['destination_token', 'USDC'],
      ])
      // Fills in the form if the other amount was typed first.
      expect(first?.token).toMatchObject({ symbol: 'USDC' })
    })

    it('the app that a page is opened for, by its name', async () => {
      expect(await page().read(reads.App, '/internal/apps', [['name', 'sandbox']])).toMatchObject({ is_wallet: false })
      expect(await page().refused('GET', '/internal/apps?name=nobody')).toMatchObject({ status: 404 })
    })

    it('campaigns, their leaders, rewards and payouts, also of an address that is not known yet', async () => {
      const [campaign] = await page().read(z.array(reads.Campaign).min(1), '/campaigns')
      await page().read(reads.Leaderboard, `/campaigns/${campaign?.id}/leaderboard`)
      for (const address of [account(0), 'undefined']) {
        await page().read(reads.Rewards, `/campaigns/${campaign?.id}/rewards/${address}`)
        await page().read(z.array(reads.RewardPayout), `/campaigns/${campaign?.id}/payouts/${address}`)
      }
    })
  })

  describe('what it costs', () => {
    it('limits, with and without what only some clients send', async () => {
      const extras: Query[] = [
        [
          ['use_deposit_address', 'false'],
          ['refuel', 'false'],
          ['use_gasless', 'false'],
          ['destination_address', account(1)],
        ],
        [
          ['amount', '0.1'],
          ['slippage', '0.01'],
          ['source_address', account(0)],
        ],
      ]
      for (const extra of extras) {
        const { min_amount, max_amount } = await page().read(reads.Limits, '/limits', [...routeQuery(), ...extra])
        expect(min_amount).toBeLessThan(max_amount)
        // Wallets write amounts with eighteen decimals and no exponent.
        expect(min_amount).toBeGreaterThan(1e-6)
      }
      // The SDK prints numbers into the query unchanged.
      const tiny = suffixOf([...routeQuery(), ['amount', String(1e-7)]])
      expect(await page().refused('GET', `/quote${tiny}`)).toMatchObject({ code: 'LESS_THAN_MIN_ERROR' })
    })

    it('a quote whose fees add up, with or without a refuel', async () => {
      for (const refuel of ['false', 'true']) {
        const query: Query = [
          ...routeQuery('USDC', 'USDC'),
          ['amount', '100'],
          ['refuel', refuel],
          ['slippage', '0.005'],
        ]
        const { quote, refuel: given } = await page().read(reads.Quoted, '/quote', query)
        expect(quote.total_fee).toBeCloseTo(quote.blockchain_fee + quote.service_fee, 6)
        expect(quote.receive_amount).toBeCloseTo(100 - quote.total_fee - quote.refuel_in_source, 5)
        expect(quote.min_receive_amount).toBeCloseTo(quote.receive_amount * 0.995, 5)
        expect([quote.slippage, quote.requested_amount]).toEqual([0.005, 100])
        expect(given === null).toBe(refuel === 'false')
      }
    })

    it('tiers for a deposit address, without an amount, and with one that is ignored', async () => {
      const widgets: Query = [
        ['destination_address', account(1)],
        ['refuel', 'false'],
        ['use_deposit_address', 'true'],
      ]
      for (const extra of [widgets, [['amount', '0.1'] as const]]) {
        const tiers = await page().read(z.array(reads.Tier).min(1), '/detailed_quote', [...routeQuery(), ...extra])
        const [first] = tiers
        expect(first?.min_amount).toBeLessThanOrEqual(first?.max_amount ?? 0)
      }
    })
  })

  describe('a swap from a wallet', () => {
    it('is made with amounts in text, followed, sped up, found by its hash and in the history', async () => {
      const [sender, recipient] = [account(0), account(1)]
      const created = await callerOf(`${sandbox().url}/api/v2`, {
        'X-LS-APIKEY': sandbox().keys.public,
        'X-LS-CORRELATION-ID': randomUUID(),
      }).make(reads.Details, '/swaps', {
        ...{ source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' },
        ...{ destination_address: recipient, source_address: sender, refund_address: sender },
        ...{ amount: '0.1', slippage: '0.02', refuel: true, use_deposit_address: false, reference_id: 'order-1' },
      })
      const { id } = created.swap
      expect(created.swap).toMatchObject({ status: 'user_transfer_pending', requested_amount: 0.1, transactions: [] })
      const polled = await page().read(reads.Details, `/swaps/${id}`, [['exclude_deposit_actions', 'true']])
      expect(polled.deposit_actions).toEqual([])
      const actions = await page().read(z.array(reads.DepositAction), `/swaps/${id}/deposit_actions`, [
        ['source_address', sender],
      ])
      expect(actions[0]).toMatchObject({ type: 'transfer', amount: 0.1, amount_in_base_units: '100000000000000000' })

      const hash = await callerOf(sandbox().url).make(
        z.looseObject({ transaction_hash: z.string() }),
        '/sandbox/deposit',
        {
          swap_id: id,
        },
      )
      const { transaction_hash } = hash
      await page().make(z.looseObject({}), `/swaps/${id}/deposit_speedup`, { transaction_id: transaction_hash })
      const status: Query = [
        ['network', FROM],
        ['transaction_id', transaction_hash],
      ]
      const told = await page().read(reads.TransactionStatus, '/transaction_status', status)
      expect(told).toMatchObject({ is_found: true, transaction_id: transaction_hash })
      await expect
        .poll(async () => (await page().read(reads.Details, `/swaps/${id}`)).swap.status, { timeout: 60_000 })
        .toBe('completed')

      const { swap } = await page().read(reads.Details, `/swaps/${id}`)
      const [input, ...paid] = ['input', 'output', 'refuel'].map((type) =>
        swap.transactions.find((one) => one.type === type),
      )
      expect(input).toMatchObject({ status: 'completed', transaction_hash, from: sender, amount: 0.1 })
      expect(input?.confirmations).toBeGreaterThanOrEqual(input?.max_confirmations ?? Number.POSITIVE_INFINITY)
      // A transaction with a hash and an amount is delivered; a promised refuel is checked too.
      for (const one of paid) expect([one?.transaction_hash !== null, (one?.amount ?? 0) > 0]).toEqual([true, true])

      for (const written of [
        transaction_hash,
        transaction_hash.toUpperCase().replace('0X', '0x'),
        paid[0]?.transaction_hash,
      ]) {
        const found = await page().read(
          reads.Details,
          `/swaps/by_transaction_hash/${encodeURIComponent(written ?? '')}`,
        )
        expect(found.swap.id).toBe(id)
      }
    })

    it('history: addresses once or repeated, under either name, by statuses as names, words or numbers', async () => {
      const [sender, recipient] = [account(0), account(1)]
      const history = (at: string, query: Query) => page().read(z.array(reads.Row), at, query)
      const completed = await history('/swaps', [
        ['address', sender],
        ['page', '1'],
      ])
      expect(completed.length).toBeGreaterThan(0)
      const forms: [string, Query][] = [
        [
          '/swaps',
          [
            ['address', sender],
            ['address', recipient],
            ['statuses', 'Completed'],
            ['statuses', 'PendingRefund'],
          ],
        ],
        [
          '/swaps',
          [
            ['address', recipient],
            ['statuses', 'completed'],
            ['networks', FROM],
            ['networks', TO],
          ],
        ],
        [
          '/swaps',
          [
            ['address', recipient],
            ['statuses', '1'],
            ['include_expired', 'true'],
          ],
        ],
        [
          '/swaps/internal',
          [
            ['page', '1'],
            ['statuses', 'Completed'],
            ['addresses', sender],
            ['addresses', recipient],
          ],
        ],
        [
          '/internal/swaps',
          [
            ['page', '1'],
            ['addresses', sender],
          ],
        ],
      ]
      for (const [at, query] of forms) {
        const rows = await history(at, query)
        expect(rows.length, JSON.stringify(query)).toBeGreaterThan(0)
        expect(rows.length).toBeLessThanOrEqual(20)
      }
      expect(
        await history('/swaps', [
          ['address', sender],
          ['page', '99'],
        ]),
      ).toEqual([])
      // A public key never lists its app's swaps: every reader of the page has it.
      expect(await history('/swaps', [['page', '1']])).toEqual([])
      expect(
        await history('/swaps/internal', [
          ['page', '1'],
          ['statuses', 'Completed'],
        ]),
      ).toEqual([])
    })
  })
}
