/** Payouts: their cost, refused recipients, and their outcome with faulty nodes or tokens. */
import { TronDollar } from '@causeway/contracts'
import { Bug, FeeAboveLimit, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { family } from '@causeway/tron'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexOf } from './accounts.ts'
import { FACTORY, testNetwork, USDT } from './test-network.ts'
import { type Body, draw, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'
import { callOf } from './wallet.ts'

let bed: Testbed
let counter = 0
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed?.local.stop())

const stranger = () => bed.stranger(`paid ${++counter}`)
const evm = (address: string): Hex => `0x${hexOf(address).slice(2)}`
/** Calls the dollar coin as its owner would. */
const tell = (data: Hex) => bed.wallets.send(bed.user, bed.network.name, callOf(USDT, data))
const list = (who: string, listed: boolean) =>
  tell(encodeFunctionData({ abi: TronDollar.abi, functionName: 'setBlackListed', args: [evm(who), listed] }))
const pause = (paused: boolean) =>
  tell(encodeFunctionData({ abi: TronDollar.abi, functionName: 'setPaused', args: [paused] }))

describe('costs', () => {
  test('coins to a new account cost 1.1 TRX, to an existing one only their bytes', async () => {
    const { adapter, treasury, native } = bed
    const to = await stranger()
    const fees: bigint[] = []
    for (let times = 0; times < 5; times++) {
      const drawn = await draw(adapter, payment(treasury, to, native, 1_000_000n))
      await adapter.broadcast(drawn.signed)
      const status = await statusOf(adapter, drawn)
      if (status.state === 'included') fees.push(status.feeUnits)
    }
    // Two are within the 600 free bytes per day.
    expect(fees).toEqual([1_100_000n, 0n, 0n, 267_000n, 267_000n])
  })

  test('a token costs its energy and its bytes, and never more than was signed for', async () => {
    const { adapter, treasury, usdt } = bed
    const drawn = await draw(adapter, payment(treasury, await stranger(), usdt, 1_000_000n))
    await adapter.broadcast(drawn.signed)
    const status = await statusOf(adapter, drawn)
    if (status.state !== 'included') throw new Error(status.state)
    expect(status.feeUnits).toBeGreaterThan(345_000n)
    expect(status.feeUnits).toBeLessThan(drawn.signed.feeCeiling ?? 0n)
    expect(drawn.slot[1]?.split('@')[3]).toBe(`${131_000n * 100n}`)
  })

  test('too little energy burns the whole limit, pays nothing, and is reported so', async () => {
    const { adapter, treasury, usdt } = bed
    const to = await stranger()
    const order = payment(treasury, to, usdt, 1_000_000n)
    const draft: Body = JSON.parse(await adapter.prepare(order, null))
    const text = JSON.stringify({ ...draft, feeLimit: '1000000' })
    const slot = await adapter.nextSlot(order, text, [])
    const signed = await adapter.sign(order, slot, text)
    await adapter.broadcast(signed)
    const status = await statusOf(adapter, { order, slot, signed, draft: text })
    expect(status).toMatchObject({ state: 'reverted', feeUnits: 1_344_000n })
    expect(await bed.balance(to, usdt)).toBe(0n)
  })

  test('what costs more than the file allows waits', async () => {
    const { treasury, native, usdt, network } = bed
    const settings = { ...network.settings, max_fee_limit: '13' }
    const thrifty = await bed.open({ settings })
    await expect(thrifty.prepare(payment(treasury, await stranger(), usdt, 1n), null)).rejects.toThrow(FeeAboveLimit)
    const thriftier = await bed.open({ settings: { ...settings, max_flat_fee: '1' } })
    await expect(thriftier.prepare(payment(treasury, await stranger(), native, 1n), null)).rejects.toThrow(
      FeeAboveLimit,
    )
  })

  test('quotes cover the more expensive case of each', async () => {
    expect(await bed.adapter.fees()).toEqual({
      nativeTransfer: 1_100_000n,
      tokenTransfer: 131_000n * 100n + 350_000n,
      sweep: 260_000n * 100n + 700_000n,
    })
  })
})

describe('refusals', () => {
  test('contracts get no coins, and no address that loses money is paid', async () => {
    const { adapter, treasury, native, usdt } = bed
    for (const to of [FACTORY, USDT, family.nativeAddress, treasury]) {
      for (const token of [native, usdt]) {
        await expect(adapter.prepare(payment(treasury, to, token, 1n), null)).rejects.toThrow(PayoutImpossible)
      }
    }
    const { contract_address } = (await bed.ask('wallet/getaccount', { address: hexOf(USDT) })) as Body
    expect(contract_address).toBeUndefined()
    const plain = await bed.open({ tokens: [native], settings: { genesis: bed.network.settings.genesis } })
    await expect(plain.prepare(payment(treasury, USDT, native, 1n), null)).rejects.toThrow('is a contract')
    expect([await adapter.accounts?.isContract(USDT), await adapter.accounts?.isContract(bed.user.address)]).toEqual([
      true,
      false,
    ])
    expect(await adapter.references?.canNameSwap?.(USDT)).toBe(false)
  })

  test('recipients that USDT blacklists are unpayable; our own listing or a pause is retried', async () => {
    const { adapter, treasury, usdt } = bed
    const to = await stranger()
    const order = payment(treasury, to, usdt, 1_000_000n)
    await list(to, true)
    await expect(adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
    await list(to, false)
    await list(treasury, true)
    await expect(adapter.prepare(order, null)).rejects.toThrow(RetryLater)
    await list(treasury, false)
    await pause(true)
    await expect(adapter.prepare(order, null)).rejects.toThrow('paused')
    await pause(false)
    await adapter.prepare(order, null)
  })

  test('a backend that has not seen our money yet makes no recipient unpayable if another has', async () => {
    const { treasury, usdt, url } = bed
    const transfers: unknown[] = []
    // Its state is from before the treasury was funded: it rejects every payment.
    const lagging = await startProxy(url, async (path, body, truth) => {
      if (path !== 'wallet/triggerconstantcontract' || body.function_selector !== 'transfer(address,uint256)')
        return truth()
      transfers.push(body)
      const message = Buffer.from('REVERT opcode executed').toString('hex')
      return {
        result: { result: true, message },
        energy_used: 500,
        constant_result: [''],
        transaction: { ret: [{ ret: 'FAILED' }] },
      }
    })
    const adapter = await bed.open({ nodes: [lagging.url] })
    const refused = adapter.prepare(payment(treasury, await stranger(), usdt, 1_000_000n), null)
    await expect(refused).rejects.toThrow(RetryLater)
    expect(transfers.length).toBeGreaterThan(0)
    await lagging.stop()
  })

  test('foreign orders are bugs, and nothing is signed', async () => {
    const { adapter, treasury, native, user, signer } = bed
    const good = payment(treasury, user.address, native, 1n)
    const strange: Order[] = [
      payment(user.address, treasury, native, 1n),
      payment(treasury, user.address, { ...native, contract: user.address }, 1n),
      payment(treasury, user.address, { ...native, network: 'OTHER' }, 1n),
      payment(treasury, user.address, native, 0n),
      payment(treasury, user.address, native, 2n ** 63n),
      { kind: 'transfers', account: treasury, transfers: [] },
      { ...good, call: '{}' } as Order,
      { kind: 'sweep', account: treasury, token: native, sources: [] },
      { kind: 'sweep', account: treasury, token: native, sources: Array(21).fill({ address: FACTORY, index: 1 }) },
    ]
    const { slot, draft } = await draw(adapter, good)
    const signatures = signer.intents.length
    for (const order of strange) {
      await expect(adapter.prepare(order, null)).rejects.toThrow(Bug)
      await expect(adapter.sign(order, slot, draft)).rejects.toThrow(Bug)
    }
    expect(signer.intents.length).toBe(signatures)
  })
})

describe('nodes', () => {
  test('a first send that every node refuses does no harm, and goes out later', async () => {
    const { adapter, treasury, native } = bed
    const to = await stranger()
    const drawn = await draw(adapter, payment(treasury, to, native, 1_000_000n))
    const busy = await startProxy(bed.url, (path, _, truth) =>
      path === 'wallet/broadcasthex' ? { code: 'SERVER_BUSY', message: '' } : truth(),
    )
    const refusing = await bed.open({ nodes: [busy.url] })
    await expect(refusing.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
    expect(await statusOf(adapter, drawn)).toEqual({ state: 'unknown' })
    await busy.stop()
    await adapter.broadcast(drawn.signed)
    expect((await statusOf(adapter, drawn)).state).toBe('included')
    expect(await bed.balance(to, native)).toBe(1_000_000n)
  })

  test('"already known" from a node that lost it is a success and no proof: resent, it lands once', async () => {
    const { adapter, treasury, native } = bed
    const to = await stranger()
    const drawn = await draw(adapter, payment(treasury, to, native, 1_000_000n))
    const forgetful = await startProxy(bed.url, (path, _, truth) =>
      path === 'wallet/broadcasthex' ? { code: 'DUP_TRANSACTION_ERROR', message: '' } : truth(),
    )
    await (await bed.open({ nodes: [forgetful.url] })).broadcast(drawn.signed)
    await forgetful.stop()
    expect(await statusOf(adapter, drawn)).toEqual({ state: 'unknown' })
    for (let times = 0; times < 3; times++) await adapter.broadcast(drawn.signed)
    expect((await statusOf(adapter, drawn)).state).toBe('included')
    expect(await bed.balance(to, native)).toBe(1_000_000n)
  })

  test('a payout that landed and reverts when re-included is reported as reverted', async () => {
    const { adapter, treasury, usdt, local, network, mine } = bed
    const to = await stranger()
    const drawn = await draw(adapter, payment(treasury, to, usdt, 1_000_000n))
    await mine(6)
    await adapter.broadcast(drawn.signed)
    expect((await statusOf(adapter, drawn)).state).toBe('included')
    await local.reorg(network.name, 2)
    expect((await statusOf(adapter, drawn)).state).toBe('unknown')
    await pause(true)
    await adapter.broadcast(drawn.signed)
    expect((await statusOf(adapter, drawn)).state).toBe('reverted')
    await pause(false)
    expect(await bed.balance(to, usdt)).toBe(0n)
  })

  test('a token call that succeeds without a transfer needs an operator: neither paid nor repeated', async () => {
    const { adapter, treasury, usdt, log } = bed
    const drawn = await draw(adapter, payment(treasury, await stranger(), usdt, 1_000_000n))
    await adapter.broadcast(drawn.signed)
    const silent = await startProxy(bed.url, async (path, _, truth) => {
      const told = (await truth()) as Body
      return path === 'wallet/gettransactioninfobyid' ? { ...told, log: undefined } : told
    })
    const deceived = await bed.open({ nodes: [silent.url] })
    for (let times = 0; times < 2; times++) await expect(statusOf(deceived, drawn)).rejects.toThrow(RetryLater)
    expect(log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'a token accepted a payout without a transfer: check it',
    ])
    await silent.stop()
  })

  test('a node that is stuck, on another chain or invents a block is not used for terms', async () => {
    const { treasury, native, url } = bed
    const order = payment(treasury, await stranger(), native, 1n)
    const other = testNetwork({ settings: { ...bed.network.settings, genesis: '0'.repeat(64) } })
    const elsewhere = await bed.open({ settings: other.settings })
    await expect(elsewhere.prepare(order, null)).rejects.toThrow('is on the chain of block')
    const old = await startProxy(url, async (path, body, truth) => {
      const isHead = path === 'wallet/getblock' && body.id_or_num === undefined
      return isHead ? bed.ask('wallet/getblock', { id_or_num: '2', detail: false }) : truth()
    })
    const stale = await bed.open({ nodes: [old.url], settings: { ...bed.network.settings, max_lag_seconds: 10 } })
    await expect(stale.prepare(order, null)).rejects.toThrow('s behind')
    await old.stop()
    const liar = await startProxy(url, async (path, _, truth) => {
      const told = (await truth()) as Body
      return path === 'walletsolidity/getblock' ? { ...told, blockID: 'ff'.repeat(32) } : told
    })
    await expect((await bed.open({ nodes: [liar.url] })).prepare(order, null)).rejects.toThrow('does not have the id')
    // Another, healthy node is asked instead.
    await (await bed.open({ nodes: [liar.url, url] })).prepare(order, null)
    await liar.stop()
  })

  test('a node over a minute ahead of our clock is not used: its dates would neither land nor expire', async () => {
    const { treasury, native, mine, network } = bed
    await mine(30)
    const strict = await bed.open({ settings: { ...network.settings, max_lead_seconds: undefined } })
    const order = payment(treasury, await stranger(), native, 1n)
    await expect(strict.prepare(order, null)).rejects.toThrow('s ahead')
    await expect(strict.scan(null, { owned: async () => new Set() })).rejects.toThrow('s ahead')
    await bed.adapter.prepare(order, null)
  })

  test('nothing is signed that stays valid for more than an hour from now, whatever its timestamp', async () => {
    const { treasury, native, network, signer } = bed
    const order = payment(treasury, await stranger(), native, 1n)
    const strict = await bed.open({
      settings: { ...network.settings, expiration_seconds: 3_600, max_lead_seconds: undefined },
    })
    const draft: Body = JSON.parse(await bed.adapter.prepare(order, null))
    const before = signer.intents.length
    const attempt = async (time: number) => {
      const text = JSON.stringify({ ...draft, time })
      const slot = await strict.nextSlot(order, text, [])
      return { text, slot }
    }
    const late = await attempt(Date.now() + 70_000)
    expect(() => strict.maxSigningCost(order, late.slot, late.text)).toThrow('more than an hour')
    await expect(strict.sign(order, late.slot, late.text)).rejects.toThrow('more than an hour')
    expect(signer.intents.length).toBe(before)
    const good = await attempt(Date.now() + 30_000)
    expect(strict.maxSigningCost(order, good.slot, good.text)).toEqual({ feeUnits: 8_000_000n })
    await strict.sign(order, good.slot, good.text)
    expect(signer.intents.length).toBe(before + 1)
  })

  test('the key of a provider is sent as a header and is in no name', async () => {
    const seen: string[] = []
    const node = await startProxy(bed.url, (_path, _body, truth) => truth())
    const keyed = await bed.open({ nodes: [`${node.url}?api_key=secret`] })
    await keyed.prepare(payment(bed.treasury, await stranger(), bed.native, 1n), null)
    seen.push(...(keyed.nodeHealth() ?? []).map(({ name }) => name), ...Object.keys(node.counts))
    expect(seen.join(' ')).not.toContain('secret')
    await node.stop()
  })
})

test('two payouts that are alike get two transactions, though they were prepared at once', async () => {
  const { adapter, treasury, native } = bed
  const order = payment(treasury, await stranger(), native, 1_000_000n)
  const draft = await adapter.prepare(order, null)
  const one = await adapter.nextSlot(order, draft, [])
  const two = await adapter.nextSlot(order, draft, [one])
  expect(one.filter((part) => two.includes(part))).toEqual([])
  // A restored backup without the first one allocates it again: it is the same transaction, and is mined once.
  expect(await adapter.nextSlot(order, draft, [])).toEqual(one)
})
