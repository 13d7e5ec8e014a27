import { Bug, type Order, PayoutImpossible, RetryLater, type Slot, type Token } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { budgetOf } from '../../src/paying/terms.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import { control, type Drawn, draw, startChain, type TestChain, testNetwork, tokenOf, USDC } from './testbed.ts'

let chain: TestChain
let sol: Token
let usdc: Token
beforeAll(async () => {
  chain = await startChain(testNetwork({ settings: { nonce_accounts: 4 } }))
  sol = chain.network.nativeToken
  usdc = tokenOf(chain.network, 'USDC')
})
afterAll(() => chain.local.stop())

const SOME = 2_000_000n
let strangers = 0
const stranger = async (): Promise<string> => (await walletFrom(`stranger ${++strangers}`)).address
const order = (token: Token, ...to: string[]): Order => ({
  kind: 'transfers',
  account: chain.treasury,
  transfers: to.map((recipient) => ({ to: recipient, amount: { token, units: SOME } })),
})
const status = ({ signed, slot }: Drawn) =>
  chain.adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)

async function landed(drawn: Drawn) {
  await chain.adapter.broadcast(drawn.signed)
  const found = await status(drawn)
  if (found.state !== 'included') throw new Error(`it is ${found.state}`)
  return found
}

describe('slots', () => {
  it('two payouts under way at once have a nonce account each, and both land', async () => {
    const recipient = await stranger()
    const first = await draw(chain, order(sol, recipient))
    const second = await draw(chain, order(sol, recipient), [first.slot])
    expect(accountOf(first.slot)).not.toBe(accountOf(second.slot))
    await landed(second)
    await landed(first)
    expect((await chain.adapter.balance(recipient, sol)).units).toBe(2n * SOME)
  })

  it('as many as there are accounts, then it waits; a landed payout frees its account', async () => {
    const drawn: Drawn[] = []
    for (let i = 0; i < 4; i++) {
      drawn.push(
        await draw(
          chain,
          order(sol, await stranger()),
          drawn.map(({ slot }) => slot),
        ),
      )
    }
    const taken = drawn.map(({ slot }) => slot)
    expect(new Set(taken.map(accountOf)).size).toBe(4)
    await expect(draw(chain, order(sol, await stranger()), taken)).rejects.toThrow('all 4 nonce accounts are in use')
    for (const each of drawn) await landed(each)
    const next = await draw(chain, order(sol, await stranger()), taken)
    expect(taken.map(([use]) => use)).not.toContain(next.slot[0])
  })

  it('without nonce accounts nothing is signed, and the message says what to do', async () => {
    const bare = await chain.open({ settings: { nonce_accounts: 2, nonce_base: await stranger() } })
    const attempt = bare.nextSlot(order(sol, await stranger()), '', [])
    await expect(attempt).rejects.toBeInstanceOf(RetryLater)
    await expect(attempt).rejects.toThrow('setup.ts')
  })

  it('a replacement in the same slot offers more, and one of the two lands', async () => {
    const recipient = await stranger()
    const first = await draw(chain, order(usdc, recipient))
    const draft = await chain.adapter.prepare(first.order, first.signed)
    const second = { ...first, draft, signed: await chain.adapter.sign(first.order, first.slot, draft) }
    expect(budgetOf(second.signed).unitPrice).toBe(2n * budgetOf(first.signed).unitPrice)
    await landed(second)
    await chain.adapter.broadcast(first.signed)
    await control(chain.node, 'devnet_mine', 40)
    expect(await status(first)).toMatchObject({ state: 'dead' })
    expect((await status(second)).state).toBe('included')
    expect((await chain.adapter.balance(recipient, usdc)).units).toBe(SOME)
  })

  it('a price at the ceiling is not raised further', async () => {
    const dear = await chain.open({ settings: { nonce_accounts: 4, min_unit_price: 10_000, max_unit_price: 10_000 } })
    const first = await draw({ ...chain, adapter: dear }, order(sol, await stranger()))
    await expect(dear.prepare(first.order, first.signed)).rejects.toThrow('ceiling')
    await landed(first)
  })
})

describe('costs', () => {
  it("a token payout to a new recipient costs the account's rent, one to a known recipient does not", async () => {
    const recipient = await stranger()
    const first = await draw(chain, order(usdc, recipient))
    const { feeUnits } = await landed(first)
    const { feeUnits: again } = await landed(await draw(chain, order(usdc, recipient)))
    // Creating the account also takes some more compute units.
    expect(feeUnits - again - 2_039_280n).toBeGreaterThanOrEqual(0n)
    expect(feeUnits - again - 2_039_280n).toBeLessThan(1_000n)
    expect(again).toBeGreaterThanOrEqual(5_000n)
    expect(feeUnits).toBeLessThanOrEqual(
      chain.adapter.maxSigningCost(order(usdc, recipient), first.slot, first.draft).feeUnits ?? 0n,
    )
    const { tokenTransfer, nativeTransfer } = await chain.adapter.fees()
    expect(tokenTransfer).toBeGreaterThanOrEqual(feeUnits)
    const plain = await landed(await draw(chain, order(sol, recipient)))
    expect(nativeTransfer).toBeGreaterThanOrEqual(plain.feeUnits)
  })

  it.each([
    ['SOL', 16],
    ['USDC', 8],
  ])('one transaction pays %s to %i', async (symbol, count) => {
    const token = tokenOf(chain.network, symbol)
    const recipients = await Promise.all(Array.from({ length: count }, stranger))
    await landed(await draw(chain, order(token, ...recipients)))
    for (const recipient of recipients) expect((await chain.adapter.balance(recipient, token)).units).toBe(SOME)
  })

  it('an order too large for one transaction is refused, and its halves are not', async () => {
    const recipients = await Promise.all(Array.from({ length: chain.adapter.batch?.maxTransfers ?? 0 }, stranger))
    const half = recipients.length / 2
    await expect(chain.adapter.prepare(order(usdc, ...recipients), null)).rejects.toBeInstanceOf(PayoutImpossible)
    for (const some of [recipients.slice(0, half), recipients.slice(half)]) {
      await landed(await draw(chain, order(usdc, ...some)))
      for (const to of some) expect((await chain.adapter.balance(to, usdc)).units).toBe(SOME)
    }
  })
})

describe('what cannot be paid', () => {
  it('less than an account must hold, to a recipient without an account', async () => {
    const to = await stranger()
    const tiny: Order = {
      ...order(sol, to),
      kind: 'transfers',
      transfers: [{ to, amount: { token: sol, units: 1_000n } }],
    }
    await expect(chain.adapter.prepare(tiny, null)).rejects.toBeInstanceOf(PayoutImpossible)
    await landed(await draw(chain, order(sol, to)))
    await landed(await draw(chain, tiny))
  })

  it('a token account, a mint or a program instead of a wallet', async () => {
    const account = await associatedAccount(chain.treasury, USDC, TOKEN_PROGRAM)
    for (const to of [account, USDC, TOKEN_PROGRAM]) {
      await expect(chain.adapter.prepare(order(usdc, to), null), to).rejects.toBeInstanceOf(PayoutImpossible)
    }
  })

  it('more transfers than fit into a transaction', async () => {
    const recipients = await Promise.all(Array.from({ length: 20 }, stranger))
    await expect(chain.adapter.prepare(order(usdc, ...recipients), null)).rejects.toThrow('does not fit')
  })

  it('an order with a foreign call', async () => {
    const foreign: Order = { ...order(sol, await stranger()), kind: 'transfers', transfers: [], call: 'anything' }
    await expect(chain.adapter.prepare(foreign, null)).rejects.toBeInstanceOf(Bug)
  })
})

describe('sweeps', () => {
  const sourcesOf = async (count: number, token: Token, first: number) => {
    const sources = Array.from({ length: count }, async (_, i) => {
      const index = first + i
      const address = (await chain.adapter.depositAddresses?.derive(index)) ?? ''
      await chain.local.fund(token, address, SOME)
      return { address, index }
    })
    return Promise.all(sources)
  }
  const sweep = async (token: Token, count: number, first: number): Promise<Order> => ({
    kind: 'sweep',
    account: chain.treasury,
    token,
    sources: await sourcesOf(count, token, first),
  })

  it('five addresses of either kind fit into one transaction; their token accounts return the rent', async () => {
    expect(chain.adapter.depositAddresses?.maxSources).toBe(5)
    for (const [token, first] of [
      [sol, 100],
      [usdc, 200],
    ] as const) {
      const before = (await chain.adapter.balance(chain.treasury, token)).units
      const { feeUnits } = await landed(await draw(chain, await sweep(token, 5, first)))
      const gained = (await chain.adapter.balance(chain.treasury, token)).units - before
      expect(gained).toBe(token === sol ? 5n * SOME - feeUnits : 5n * SOME)
      expect(token === sol ? feeUnits > 0n : feeUnits < 5n * -2_000_000n).toBe(true)
    }
  })

  it('six are refused before anything is signed', async () => {
    await expect(chain.adapter.prepare(await sweep(usdc, 6, 300), null)).rejects.toBeInstanceOf(PayoutImpossible)
  })

  it('an address with a wrong index is a bug', async () => {
    const [source] = await sourcesOf(1, sol, 400)
    const order: Order = {
      ...{ kind: 'sweep', account: chain.treasury, token: sol },
      sources: [{ address: source?.address ?? '', index: 401 }],
    }
    await expect(chain.adapter.prepare(order, null)).rejects.toBeInstanceOf(Bug)
  })
})

function accountOf(slot: Slot): string {
  return slot[0]?.split(':')[0] ?? ''
}
