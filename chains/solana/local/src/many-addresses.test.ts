/** Attack B2: ten thousand open deposit addresses of strangers do not hide a deposit. All are read within a minute's scans. */
import { createHash } from 'node:crypto'
import type { Watchlist } from '@causeway/core'
import { getAddressDecoder } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control, startChain, startProxy, type TestChain, tokenOf } from './testbed.ts'

const STRANGERS = 10_000
/** A scan per second; three seconds apart if nothing happened for long. */
const SCANS_PER_MINUTE = 20

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

it('a deposit of coins and one of tokens among ten thousand addresses are seen within a minute', async () => {
  const { local, network, url } = chain
  const victim = (await chain.adapter.depositAddresses?.derive(1)) ?? ''
  const strangers = Array.from({ length: STRANGERS }, (_, n) =>
    getAddressDecoder().decode(createHash('sha256').update(`stranger ${n}`).digest()),
  )
  const recent = [...strangers.slice(0, STRANGERS / 2), victim, ...strangers.slice(STRANGERS / 2)]
  const known = new Set([...recent, chain.treasury])
  const ours: Watchlist = {
    owned: async (asked) => new Set(asked.filter((one) => known.has(one))),
    pollCandidates: async () => ({ recent: [recent], others: [] }),
  }
  const asked = new Map<string, number>()
  const counting = await startProxy(url, ({ method }) => void asked.set(method, (asked.get(method) ?? 0) + 1))
  const adapter = await chain.open({ nodes: [counting.url], settings: { scan: 'signatures' } })
  let { next } = await adapter.scan(null, ours)
  const [sender] = local.accounts
  if (!sender) throw new Error('a devnet has accounts')
  for (const token of [network.nativeToken, tokenOf(network, 'USDC')]) {
    await local.transfer(sender, token, victim, 5_000_000n)
    await control(chain.node, 'devnet_mine', 1)
    asked.clear()
    const started = performance.now()
    let scans = 0
    for (; scans < SCANS_PER_MINUTE; scans++) {
      const found = await adapter.scan(next, ours)
      next = found.next
      if (found.sightings.some(({ to, amount }) => to === victim && amount.token.symbol === token.symbol)) break
    }
    expect(scans, token.symbol).toBeLessThan(SCANS_PER_MINUTE)
    const requests = [...asked].map(([method, count]) => `${method} ${count}`).join(', ')
    console.log(
      `solana, ${STRANGERS} unpaid swaps: ${token.symbol} seen by scan ${scans + 1}, ${Math.round(performance.now() - started)} ms of scanning: ${requests}`,
    )
  }
  await counting.stop()
}, 300_000)
