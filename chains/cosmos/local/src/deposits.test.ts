/** Which transfers are deposits and whose: rules of `docs/rules.md`, and attempts to cheat. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { encode } from '../../src/address.ts'
import { account } from '../../src/node/queries.ts'
import { ibcDenom } from '../../src/scanning/messages.ts'
import { hashOf } from '../../src/transaction.ts'
import { addressOn } from './accounts.ts'
import { callContract, exec, multiSend, packet, sendOf } from './foreign-messages.ts'
import {
  drain,
  force,
  person,
  sendAs,
  sightedAs,
  startChain,
  type TestChain,
  testNetwork,
  tokenOf,
  USDC,
} from './testbed.ts'
import { signed } from './wallet.ts'

const VICTIM = '7000000042'
const alice = person(0)
const mallory = person(1)
const NOBLE_SENDER = encode('noble', new Uint8Array(20).fill(9))
const CONTRACT = encode('osmo', new Uint8Array(32).fill(5))

describe.each(['results', 'candidates'])('deposits, read by %s', (scan) => {
  let chain: TestChain
  const from = (who = alice) => addressOn(chain.network, who)
  const osmo = (units: bigint) => ({ denom: 'uosmo', units })
  const usdc = (units: bigint) => ({ denom: USDC, units })
  beforeAll(async () => {
    chain = await startChain(testNetwork({}, { scan }))
  })
  afterAll(() => chain.local.stop())

  it('a plain send with a memo names its swap, with a sender who can be paid back', async () => {
    const { treasury } = chain
    const [only, ...more] = await sightedAs(chain, alice, {
      messages: [sendOf(from(), treasury, osmo(5n))],
      memo: VICTIM,
    })
    expect(more).toEqual([])
    expect(only).toMatchObject({
      refundableSender: from(),
      fundingAddresses: [from()],
      to: treasury,
      reference: 7_000_000_042n,
    })
    expect(only?.amount).toEqual({ token: tokenOf(chain.network, 'OSMO'), units: 5n })
  })

  it.each(['', '042', ' 42', '42 ', '+42', '0x2a', '4.2', '42;x', '99999999999999999999', '４２', '-1'])(
    'the memo %j is no number of a swap',
    async (memo) => {
      const [only] = await sightedAs(chain, alice, { messages: [sendOf(from(), chain.treasury, osmo(5n))], memo })
      expect(only).toMatchObject({ reference: null })
    },
  )

  it('an address in capitals is the same address', async () => {
    const loud = sendOf(from(), chain.treasury.toUpperCase(), osmo(5n))
    const [only] = await sightedAs(chain, alice, { messages: [loud], memo: VICTIM })
    expect(only).toMatchObject({ to: chain.treasury, refundableSender: from(), reference: 7_000_000_042n })
  })

  it('two messages, or two coins in one, make the memo ambiguous: both are kept, neither is named', async () => {
    const { treasury } = chain
    const two = [sendOf(from(), treasury, osmo(5n)), sendOf(from(), treasury, usdc(6n))]
    const inTwo = await sightedAs(chain, alice, { messages: two, memo: VICTIM })
    expect(inTwo.map(({ reference, amount }) => [reference, amount.units])).toEqual([
      [null, 5n],
      [null, 6n],
    ])
    const inOne = await sightedAs(chain, alice, {
      messages: [sendOf(from(), treasury, usdc(6n), osmo(5n))],
      memo: VICTIM,
    })
    expect(inOne.map(({ reference, amount }) => [reference, amount.units])).toEqual([
      [null, 6n],
      [null, 5n],
    ])
    expect(new Set([...inTwo, ...inOne].map(({ txHash, index }) => `${txHash}/${index}`)).size).toBe(4)
  })

  it('unlisted coins are ignored, and a listed one next to them names no swap', async () => {
    const { local, network, treasury } = chain
    const spam = { ...tokenOf(network, 'USDC'), contract: 'factory/osmo1x/spam' }
    const fake = { ...tokenOf(network, 'USDC'), contract: ibcDenom('transfer/channel-666/uusdc') }
    for (const token of [spam, fake]) await local.fund(token, from(), 100n)
    const only = [{ denom: fake.contract, units: 7n }]
    expect(await sightedAs(chain, alice, { messages: [sendOf(from(), treasury, ...only)], memo: VICTIM })).toEqual([])
    const both = [{ denom: spam.contract, units: 1n }, osmo(5n)]
    const [kept] = await sightedAs(chain, alice, { messages: [sendOf(from(), treasury, ...both)], memo: VICTIM })
    expect(kept).toMatchObject({ reference: null, amount: { units: 5n } })
  })

  it('a sender on behalf of another account names no swap, and is not refunded', async () => {
    const { treasury, set } = chain
    await set({ grants: [`${from()} ${from(mallory)}`] })
    const inner = sendOf(from(), treasury, osmo(9n))
    const [only] = await sightedAs(chain, mallory, { messages: [exec(from(mallory), inner)], memo: VICTIM })
    expect(only).toMatchObject({
      reference: null,
      refundableSender: null,
      fundingAddresses: [from()],
      amount: { units: 9n },
    })
  })

  it('the memo of a multi-send is ignored; the coins are kept', async () => {
    const { treasury } = chain
    const outputs = [
      { to: treasury, coin: osmo(3n) },
      { to: from(mallory), coin: osmo(4n) },
    ]
    const [only, ...more] = await sightedAs(chain, alice, { messages: [multiSend(from(), outputs)], memo: VICTIM })
    expect(more).toEqual([])
    expect(only).toMatchObject({
      reference: null,
      refundableSender: null,
      fundingAddresses: [from()],
      amount: { units: 3n },
    })
  })

  it('a contract brings money without a name, and its own events bring none', async () => {
    const { treasury } = chain
    const call = callContract(from(), CONTRACT, { pay: treasury, claim: treasury }, osmo(11n))
    const [only, ...more] = await sightedAs(chain, alice, { messages: [call], memo: VICTIM })
    expect(more).toEqual([])
    expect(only).toMatchObject({
      reference: null,
      refundableSender: null,
      fundingAddresses: [CONTRACT, from()],
      amount: { units: 11n },
    })
    const lie = callContract(from(), CONTRACT, { pay: from(mallory), claim: treasury }, osmo(12n))
    expect(await sightedAs(chain, alice, { messages: [lie], memo: VICTIM })).toEqual([])
  })

  describe('packets from another chain', () => {
    const words = (changes: Partial<Parameters<typeof packet>[1]>) => ({
      ...{ number: 1n, channel: 'channel-750', denom: 'uusdc', units: 1_000n, sender: NOBLE_SENDER, memo: VICTIM },
      ...{ receiver: chain.treasury, ...changes },
    })
    const relayed = (memo: string, ...packets: Parameters<typeof packet>[1][]) =>
      sightedAs(chain, mallory, { messages: packets.map((one) => packet(from(mallory), one)), memo })

    it('the sender’s memo names the swap, never the relayer’s; the sender is not refundable here', async () => {
      const [only, ...more] = await relayed('7000000666', words({ number: 1n }))
      expect(more).toEqual([])
      expect(only).toMatchObject({ reference: 7_000_000_042n, refundableSender: null, amount: { units: 1_000n } })
      expect(only?.fundingAddresses).toContain(NOBLE_SENDER)
      const [silent] = await relayed(VICTIM, words({ number: 2n, memo: '' }))
      expect(silent).toMatchObject({ reference: null })
      const [hooked] = await relayed('', words({ number: 3n, memo: '{"forward":{"receiver":"x"}}' }))
      expect(hooked).toMatchObject({ reference: null })
    })

    it('one that was relayed before, or is refused, brings nothing though it succeeds', async () => {
      expect(await relayed('', words({ number: 10n }))).toHaveLength(1)
      expect(await relayed('', words({ number: 10n }))).toEqual([])
      expect(await relayed('', words({ number: 11n, receiver: 'osmo1nobody' }))).toEqual([])
    })

    it('the same coin by another way is another coin', async () => {
      expect(await relayed('', words({ number: 20n, channel: 'channel-751' }))).toEqual([])
    })

    it('each is named by its own memo, whatever other packets its relayer adds', async () => {
      const { treasury } = chain
      const named = (seen: Awaited<ReturnType<typeof relayed>>) =>
        seen.map(({ reference, amount }) => [reference, amount.units])
      const seen = await relayed('', words({ number: 30n }), words({ number: 31n, memo: '7000000043', units: 7n }))
      expect(named(seen)).toEqual([
        [7_000_000_042n, 1_000n],
        [7_000_000_043n, 7n],
      ])
      // The relayer's own send is not alone in the transaction, so its memo names no swap.
      const messages = [packet(from(mallory), words({ number: 32n })), sendOf(from(mallory), treasury, osmo(1n))]
      expect(named(await sightedAs(chain, mallory, { messages, memo: '7000000666' }))).toEqual([
        [7_000_000_042n, 1_000n],
        [null, 1n],
      ])
    })
  })

  it('everything is credited at a deposit address, and no memo redirects it', async () => {
    const { adapter } = chain
    const address = (await adapter.depositAddresses?.derive(77)) ?? ''
    const [only] = await sightedAs(
      chain,
      alice,
      { messages: [sendOf(from(), address, usdc(8n))], memo: VICTIM },
      address,
    )
    expect(only).toMatchObject({ to: address, reference: null, refundableSender: from() })
    const call = callContract(from(), CONTRACT, { pay: address }, osmo(12n))
    expect(await sightedAs(chain, alice, { messages: [call] }, address)).toMatchObject([
      { to: address, refundableSender: null },
    ])
  })

  it('money that no transaction names is found at the addresses that wait for some', async () => {
    const { treasury } = chain
    // The contract gets the address in a form that hides it.
    const pay64 = Buffer.from(treasury).toString('base64')
    const call = callContract(from(), CONTRACT, { pay64 }, osmo(13n))
    expect(await sightedAs(chain, alice, { messages: [call] })).toMatchObject([
      { to: treasury, amount: { units: 13n } },
    ])
  })

  it('coins that a block itself brings to a deposit address are kept for review, once final', async () => {
    const { adapter, local, network } = chain
    const address = (await adapter.depositAddresses?.derive(78)) ?? ''
    const ours = staticWatchlist(chain.treasury, address)
    const { next } = await adapter.scan(null, ours)
    await local.fund(tokenOf(network, 'USDC'), address, 31n)
    const [only, ...more] = await drain(adapter, next, chain.treasury, address)
    expect(more).toEqual([])
    const place = `block/${only?.block?.number}`
    expect(only).toMatchObject({
      txHash: place,
      to: address,
      refundableSender: null,
      reference: null,
      requiresFinality: true,
    })
    expect(only?.doubt).toContain('by no transaction')
    expect(await adapter.inspect(place, ours)).toMatchObject({ state: 'included', sightings: [only] })
    for (const nonsense of ['block/0', 'block/01', 'block/', 'block/999999999'])
      expect(await adapter.inspect(nonsense, ours)).toEqual({ state: 'unknown' })
  })

  it('a transaction that failed is no deposit, by the scan and by the inspection', async () => {
    const { adapter, treasury } = chain
    const ours = staticWatchlist(treasury)
    const { next } = await adapter.scan(null, ours)
    // The fee was paid but gas ran out; and more than the balance.
    const gasless = { messages: [sendOf(from(), treasury, osmo(5n))], memo: VICTIM, gas: 50_000n }
    const broke = { messages: [sendOf(from(), treasury, osmo(10n ** 30n))], memo: VICTIM }
    for (const writing of [gasless, broke]) {
      const hash = await sendAs(chain, alice, writing)
      expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'failed' })
    }
    expect(await drain(adapter, next, treasury)).toEqual([])
  })

  it('the same bytes in two blocks are credited once, even if the index shows the rejected copy', async () => {
    const { adapter, treasury, node, mine, set } = chain
    const ours = staticWatchlist(treasury)
    const { next } = await adapter.scan(null, ours)
    await set({ halted: true })
    const early = await signed(chain, alice, { messages: [sendOf(from(), from(), osmo(1n))] })
    // The sequence of the second is one too high at first: it is in a block, refused, and executed later.
    const { sequence } = (await account(node, from(), null)) ?? { sequence: 0n }
    const late = await signed(chain, alice, {
      messages: [sendOf(from(), treasury, osmo(6n))],
      memo: VICTIM,
      sequence: sequence + 1n,
    })
    await force(node, late)
    await mine()
    await force(node, early)
    await mine()
    await force(node, late)
    await mine()
    await force(node, late)
    await mine()
    await set({ halted: false, showsTwins: true })
    try {
      const seen = await drain(adapter, next, treasury)
      expect(seen.map(({ txHash, amount, reference }) => [txHash, amount.units, reference])).toEqual([
        [hashOf(late), 6n, 7_000_000_042n],
      ])
      // With an adapter that scanned it, and with one that knows only the index.
      const block = seen[0]?.block
      for (const one of [adapter, await chain.open()])
        expect(await one.inspect(hashOf(late), ours)).toMatchObject({ state: 'included', block, sightings: seen })
    } finally {
      await set({ showsTwins: false })
    }
  })

  it('a deposit lost by the index is found where it was seen; otherwise it is unknown and not failed', async () => {
    const { adapter, treasury, set } = chain
    const ours = staticWatchlist(treasury)
    const [seen] = await sightedAs(chain, alice, { messages: [sendOf(from(), treasury, osmo(5n))], memo: VICTIM })
    const hash = seen?.txHash ?? ''
    await set({ forgotten: [hash] })
    expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: [seen] })
    expect(await (await chain.open()).inspect(hash, ours)).toEqual({ state: 'unknown' })
    await set({ forgotten: [] })
    expect(await adapter.inspect(hash.toLowerCase(), ours)).toMatchObject({ state: 'included' })
    for (const nonsense of ['', 'hello', '0x12', `${hash}00`])
      expect(await adapter.inspect(nonsense, ours)).toEqual({ state: 'unknown' })
  })

  it('bytes that are not a transaction are in blocks too, and stop nothing', async () => {
    const { node, treasury } = chain
    for (const bytes of [Buffer.from('blob'), Buffer.alloc(300, 255), Buffer.from([10, 200])]) await force(node, bytes)
    await force(node, Buffer.from(`a call that names ${treasury} in passing`))
    expect(await sightedAs(chain, alice, { messages: [sendOf(from(), treasury, osmo(5n))] })).toHaveLength(1)
  })

  it('a wallet must send the plain number as a memo, field by field', async () => {
    const { adapter, treasury, network } = chain
    const request = { token: network.nativeToken, units: 5n, receiver: treasury, reference: 7_000_000_042n }
    expect(await adapter.depositAction({ ...request, sourceAddress: null })).toEqual({
      ...{ type: 'transfer', toAddress: treasury, units: 5n, callData: '7000000042' },
      ...{ gasLimit: null, encodedArgs: null },
    })
    // A wallet's signature covers these, and a page asks no node for them.
    const { encodedArgs } = await adapter.depositAction({ ...request, sourceAddress: from() })
    const number = expect.stringMatching(/^\d+$/)
    expect(encodedArgs).toEqual([
      ...['uosmo', number, number, '160000', number],
      ...['uosmo', '/cosmos.crypto.secp256k1.PubKey'],
    ])
    const unused = 'osmo1cyyzpxplxdzkeea7kwsydadg87357qnahakaks'
    expect((await adapter.depositAction({ ...request, sourceAddress: unused })).encodedArgs).toBeNull()
  })
})
