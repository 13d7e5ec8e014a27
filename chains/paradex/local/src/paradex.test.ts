/** Features of Paradex alone: unmasked reads, payouts into trading balances, customers whose money is in Paraclear. */
import { type ChainAdapter, findToken, type Order, RetryLater, type Scan } from '@causeway/core'
import { family } from '@causeway/paradex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { forward, startServer, testLog } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { paradex } from '../../src/paradex.ts'
import { devnet } from './index.ts'
import { PARACLEAR, testNetwork, USDC, WATCHDOG } from './test-network.ts'

const network = testNetwork()
const usdc = network.nativeToken
const RICHES = 1_000n * 10n ** 6n
let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain?.local.stop())

async function startChain() {
  const signer = testSigner('paradex')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  await local.fund(usdc, treasury, RICHES)
  const open = (changes: object = {}, by = signer) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer: by, log: testLog() })
  const post = async (method: string, params: object, headers = {}): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', body, headers })
    return ((await response.json()) as { result: unknown }).result
  }
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  const owner = { 'x-local-hand': '1' }
  /** In Paraclear's eight decimals. */
  const trading = async (address: string) => {
    const entry_point_selector = '0x34c0c997be0ded52ae61e1dce1f127956cabeb4975916029715fbc277deb5a'
    const request = { contract_address: PARACLEAR, entry_point_selector, calldata: [address, USDC] }
    const [held] = (await post('starknet_call', { request, block_id: 'latest' }, owner)) as [string]
    return BigInt(held)
  }
  const mine = (blocks = 1) => local.mine(network.name, blocks)
  return { signer, treasury, local, url, open, post, user, other, trading, mine, adapter: await open() }
}

const paying = (...transfers: [to: string, units: bigint][]): Order => ({
  ...{ kind: 'transfers', account: chain.treasury },
  transfers: transfers.map(([to, units]) => ({ to, amount: { token: usdc, units } })),
})

async function draw(adapter: ChainAdapter, order: Order) {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, [])
  return { slot, signed: await adapter.sign(order, slot, draft) }
}

const statusOf = ({ signed, slot }: Awaited<ReturnType<typeof draw>>) =>
  chain.adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)

async function drain(cursor: string | null): Promise<Scan> {
  const sightings: Scan['sightings'] = []
  for (let next = cursor; ; ) {
    const scan = await chain.adapter.scan(next, staticWatchlist(chain.treasury))
    sightings.push(...scan.sightings)
    if (scan.scannedTo >= scan.head.number) return { ...scan, sightings }
    next = scan.next
  }
}

describe('reading', () => {
  test('an unauthenticated caller sees zeros, and so does a signer for another account, text or time', async () => {
    const request = { contract_address: USDC, entry_point_selector: BALANCE_OF, calldata: [chain.treasury] }
    const params = { request, block_id: 'latest' }
    expect(await chain.post('starknet_call', params)).toEqual(['0x0', '0x0'])
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_call', params })
    const wording = paradex.profileOf(network).wording?.(chain.signer, chain.treasury)
    const headers = (await wording?.(text)) ?? {}
    const held = [`0x${RICHES.toString(16)}`, '0x0']
    expect(await chain.post('starknet_call', params, headers)).toEqual(held)
    const forged = [
      { ...headers, 'PARADEX-STARKNET-ACCOUNT': chain.other.address },
      {
        ...headers,
        'PARADEX-STARKNET-SIGNATURE-TIMESTAMP': `${Number(headers['PARADEX-STARKNET-SIGNATURE-TIMESTAMP']) + 1}`,
      },
      { ...headers, 'PARADEX-STARKNET-SIGNATURE-TIMESTAMP': '1700000000' },
      { ...headers, 'PARADEX-STARKNET-SIGNATURE': '["1","2"]' },
    ]
    for (const wrong of forged) expect(await chain.post('starknet_call', params, wrong)).toEqual(['0x0', '0x0'])
    const other = { request: { ...request, calldata: [chain.user.address] }, block_id: 'latest' }
    const otherText = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_call', params: other })
    expect(await chain.post('starknet_call', other, (await wording?.(otherText)) ?? {})).toEqual(['0x0', '0x0'])
    expect(await chain.post('starknet_call', other, headers), 'signed for another question').toEqual(['0x0', '0x0'])
  })

  test('a node that shows the treasury no more than the public sees is not used', async () => {
    // It drops the headers, as a proxy on the way may do.
    const masking = await startServer(async (body) => forward(chain.url, JSON.parse(body)))
    const adapter = await chain.open({ nodes: [masking.url] })
    await expect(adapter.fees()).rejects.toThrow('holds nothing, or is masked')
    await expect(adapter.scan(null, staticWatchlist(chain.treasury))).rejects.toThrow(RetryLater)
    const status = adapter.status({ hash: `0x${'0'.repeat(63)}1`, slot: ['0'], account: chain.treasury }, nothingSigned)
    await expect(status, 'nothing is dead by it').rejects.toThrow(RetryLater)
    const both = await chain.open({ nodes: [masking.url, chain.url] })
    expect((await both.fees()).nativeTransfer).toBeGreaterThan(0n)
    await masking.stop()
  })

  test('a treasury without money cannot prove that it sees anything, and its network waits', async () => {
    const adapter = await chain.open({}, testSigner('nobody'))
    await expect(adapter.fees()).rejects.toThrow('holds nothing, or is masked')
  })

  test('reads are passed to the signer as reads, and a signer process rejects them', async () => {
    const asked: unknown[] = []
    const signer = {
      ...chain.signer,
      sign: (...[key, digest, intent]: Parameters<typeof chain.signer.sign>) => {
        asked.push(intent)
        return chain.signer.sign(key, digest, intent)
      },
    }
    await (await chain.open({}, signer as never)).fees()
    expect(asked.length).toBeGreaterThan(0)
    for (const intent of asked) expect(intent).toEqual({ read: expect.stringContaining('"jsonrpc"') })
  })
})

const BALANCE_OF = '0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e'

describe('paying', () => {
  test('credits each trading balance exactly, with two more decimals, and leaves no approval', async () => {
    const [one, two] = [chain.user.address, chain.other.address]
    const before = [await chain.trading(one), await chain.trading(two)]
    const held = await chain.local.balance(usdc, chain.treasury)
    const drawn = await draw(chain.adapter, paying([one, 12_345_678n], [two, 1n]))
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine()
    const status = await statusOf(drawn)
    if (status.state !== 'included') throw new Error(`it is ${status.state}`)
    expect(await chain.trading(one)).toBe((before[0] ?? 0n) + 1_234_567_800n)
    expect(await chain.trading(two)).toBe((before[1] ?? 0n) + 100n)
    expect(await chain.local.balance(usdc, chain.treasury)).toBe(held - 12_345_679n - status.feeUnits)
    const request = { contract_address: USDC, entry_point_selector: ALLOWANCE, calldata: [chain.treasury, PARACLEAR] }
    expect(await chain.post('starknet_call', { request, block_id: 'latest' })).toEqual(['0x0', '0x0'])
    const [moved] =
      (await chain.adapter.audit?.movements(chain.treasury, status.block.number, status.block.number)) ?? []
    expect(moved).toMatchObject({ slot: drawn.slot, changes: [{ units: -12_345_679n - status.feeUnits }] })
  })

  test('goes plainly to the wallet if the file says so, also in a lockdown', async () => {
    const adapter = await chain.open({ settings: { ...network.settings, payout: 'transfer' } })
    const stranger = await family.treasury(network, testSigner('stranger'))
    await chain.post('devnet_lockdown', { locked: true })
    const drawn = await draw(adapter, paying([stranger, 9n]))
    await adapter.broadcast(drawn.signed)
    await chain.mine()
    await chain.post('devnet_lockdown', { locked: false })
    expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
    expect([await chain.local.balance(usdc, stranger), await chain.trading(stranger)]).toEqual([9n, 0n])
  })

  test('waits in a lockdown, and is never called unpayable for it', async () => {
    await chain.post('devnet_lockdown', { locked: true })
    const refused = await chain.adapter.prepare(paying([chain.user.address, 5n]), null).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RetryLater)
    expect(String(refused)).toContain('lockdown')
    await chain.post('devnet_lockdown', { locked: false })
    await expect(chain.adapter.prepare(paying([chain.user.address, 5n]), null)).resolves.toBeTypeOf('string')
  })

  test('a cancellation moves nothing', async () => {
    const lost = await draw(chain.adapter, paying([chain.user.address, 7n]))
    const before = await chain.trading(chain.user.address)
    const order = { kind: 'cancel', account: chain.treasury } as const
    const draft = await chain.adapter.prepare(order, lost.signed)
    const cancelled = { slot: lost.slot, signed: await chain.adapter.sign(order, lost.slot, draft) }
    await chain.adapter.broadcast(cancelled.signed)
    await chain.mine(network.finalDepth + 1)
    expect(await statusOf(lost)).toMatchObject({ state: 'dead', evidence: { usedBy: cancelled.signed.hash } })
    expect(await chain.trading(chain.user.address)).toBe(before)
  })

  test('goes to no address of Ethereum and to no contract of the exchange', () => {
    expect(family.parseAddress('0x52908400098527886E0F7030069857D2E4169EE7')).toBeNull()
    for (const contract of [PARACLEAR, USDC, WATCHDOG]) expect(chain.adapter.isUnpayable(contract)).toBe(true)
  })
})

describe('depositing', () => {
  const request = (units: bigint, reference: bigint) => ({
    ...{ token: usdc, units, receiver: chain.treasury, reference, sourceAddress: null },
  })

  test('a customer with money in Paraclear withdraws it in the same transaction, and is sighted exactly', async () => {
    const { next } = await drain(null)
    const action = await chain.adapter.depositAction(request(50_000_000_000n, 77n))
    const hash = await chain.local.deposit(chain.user, usdc, action)
    const { sightings } = await drain(next)
    expect(sightings).toMatchObject([
      { txHash: hash, amount: { units: 50_000_000_000n }, reference: 77n, refundableSender: chain.user.address },
    ])
  })

  test('without the withdrawal, or if a socialized loss reduces it, everything fails and nothing is lost', async () => {
    const { next } = await drain(null)
    const before = await chain.trading(chain.other.address)
    await chain.post('devnet_loss', { loss: 100 })
    const action = await chain.adapter.depositAction(request(50_000_000_000n, 78n))
    const hash = await chain.local.deposit(chain.other, usdc, action)
    await chain.post('devnet_loss', { loss: 0 })
    expect(await eventually(() => chain.adapter.inspect(hash, staticWatchlist(chain.treasury)))).toMatchObject({
      state: 'failed',
    })
    expect(await chain.trading(chain.other.address)).toBe(before)
    expect((await drain(next)).sightings).toEqual([])
  })

  test('is not offered without a watchdog, as on the real networks so far', async () => {
    const { watchdog: _, ...settings } = network.settings
    const adapter = await chain.open({ settings })
    expect(adapter.references).toBeUndefined()
  })
})

const ALLOWANCE = '0x1e888a1026b19c8c0b57c72d63ed1737106aa10034105b980ba117bd0c29fe1'

test('USDC is found, and shown to wallets, by the contract that it is', async () => {
  const adapter = await chain.open()
  expect(adapter.walletContracts?.native).toBe(USDC)
  expect(findToken(network, USDC, adapter)).toBe(usdc)
  expect(findToken(network, adapter.nativeAddress, adapter)).toBe(usdc)
})
