/**
 * The two explorers, one of which sends a public key: newest swaps, a search, and volumes over time. Runs after a swap
 * was completed.
 */
import type { Sandbox } from '@causeway/devnet'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Analytics, ExplorerRow } from './reads.ts'
import { callerOf, FROM, type Query, TO } from './service.ts'

const Rows = z.array(ExplorerRow)

export function explorers(sandbox: () => Sandbox): void {
  const explorer = () => callerOf(`${sandbox().url}/api/v2`)
  const withKey = () => callerOf(`${sandbox().url}/api/v2`, { 'X-LS-APIKEY': sandbox().keys.public })
  const newest: Query = [
    ['version', 'sandbox'],
    ['statuses', '1'],
    ['statuses', '4'],
  ]

  describe('explorers', () => {
    it('the newest swaps, asked for by the numbers of their states, with the deposit of each', async () => {
      for (const [at, query] of [
        ['/explorer', newest],
        ['/explorer/', newest],
        ['/explorer', [...newest, ['compact', 'true'] as const]],
      ] as const) {
        const rows = await explorer().read(Rows, at, query)
        const idsOf = (list: typeof rows) => list.map(({ swap }) => swap.id)
        expect(idsOf(await withKey().read(Rows, at, query))).toEqual(idsOf(rows))
        const shown = rows.filter(({ swap }) => swap.transactions.some(({ type }) => type === 'input'))
        expect(shown.length).toBeGreaterThan(0)
        const dates = rows.map(({ swap }) => Date.parse(swap.created_date))
        expect(dates).toEqual([...dates].sort((a, b) => b - a))
        // An app's own order reference is not public.
        expect(new Set(rows.map(({ swap }) => swap.metadata.reference_id))).toEqual(new Set([null]))
      }
    })

    it('a search by address, by either transaction or by the id, page by page', async () => {
      const [row] = (await explorer().read(Rows, '/explorer', newest)).filter(({ swap }) => swap.status === 'completed')
      const hashOf = (type: string) => row?.swap.transactions.find((one) => one.type === type)?.transaction_hash ?? ''
      for (const search of [row?.swap.destination_address, hashOf('input'), hashOf('output'), row?.swap.id]) {
        const at = `/explorer/${encodeURIComponent(search ?? '')}`
        const old = await explorer().read(Rows, at, [['version', 'sandbox']])
        expect(old.map(({ swap }) => swap.id)).toContain(row?.swap.id)
        const statuses = ['Completed', 'PendingWithdrawal', 'PendingRefund', 'Refunded'].map(
          (name) => ['statuses', name] as const,
        )
        const page = (number: string): Query => [['version', 'sandbox'], ['page', number], ...statuses]
        expect((await withKey().read(Rows, at, page('1'))).map(({ swap }) => swap.id)).toContain(row?.swap.id)
        expect(await explorer().read(Rows, at, page('50'))).toEqual([])
      }
      expect(await explorer().read(Rows, '/explorer/nothing-of-the-kind', [['version', 'sandbox']])).toEqual([])
    })

    it.each(['24h', '7d', '30d', '90d'])('the sums of %s, by network', async (period) => {
      const query: Query = [
        ['period', period],
        ['version', 'sandbox'],
      ]
      // A 503 while the sums are computed; the client retries.
      const answer = await expect.poll(() => explorer().send('GET', `/explorer/analytics?period=${period}`), {
        timeout: 20_000,
      })
      await answer.toMatchObject({ status: 200 })
      const { available_networks, networks } = await explorer().read(Analytics, '/explorer/analytics', query)
      expect(available_networks.map(({ name }) => name)).toEqual(expect.arrayContaining([FROM, TO]))
      expect(networks.length).toBeGreaterThan(0)
    })
  })
}
