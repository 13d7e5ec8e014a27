/**
 * Attacks A3 and A6 on Hyperliquid: whatever the draft says, exactly the order leaves, on one network, and each nonce
 * is used once.
 */
import type { Network, Order, SweepSource, Token } from '@causeway/core'
import { family } from '@causeway/hyperliquid'
import fc from 'fast-check'
import { hashTypedData, recoverAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused, PHRASE, quiet } from './signer.ts'

const HYPE = '0x2222222222222222222222222222222222222222'
const USDC_WIRE = 'USDC:0x6d1e7cde53ba9467b783cb7c530ce054'
const HYPE_WIRE = 'HYPE:0x0d01dc56dcaaca66ad901c959b4011ec'
const ALICE = '0x52908400098527886E0F7030069857D2E4169EE7'
const BOB = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const ONE = 100_000_000n
const NONCE = '1790000000000'
/** The mnemonic's treasury, the same address as on EVM. */
const TREASURY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const networkOf = (chain: string, settings: Record<string, unknown> = {}): Network =>
  sampleNetwork(
    [
      { symbol: 'USDC', contract: null, decimals: 8 },
      { symbol: 'HYPE', contract: HYPE, decimals: 8 },
    ],
    {
      name: `HYPERLIQUID_${chain.toUpperCase()}`,
      type: 'hyperliquid',
      chainId: '1337',
      settings: { hyperliquid_chain: chain, tokens: { [HYPE]: HYPE_WIRE }, ...settings },
    },
  )
const mainnet = networkOf('Mainnet')
const testnet = networkOf('Testnet')
const [usdc, hype] = mainnet.tokens as [Token, Token]

const paying = (token: Token, units: bigint, to: string): Order => ({
  ...{ kind: 'transfers', account: TREASURY },
  transfers: [{ to, amount: { token, units } }],
})
const draftOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({ time: 1_790_000_000_000, variant: 0, held: '0', moves: [], ...changes })

interface Envelope {
  nonce: number
  action: Record<string, unknown> & { signatureChainId: string; nonce: number }
  signature: { r: `0x${string}`; s: `0x${string}`; v: number }
}

const FIELDS = ['hyperliquidChain', 'destination', 'sourceDex', 'destinationDex', 'token', 'amount', 'fromSubAccount']

/** The content of the signed bytes, and the signing key. */
async function readBytes(bytes = '[]'): Promise<(Envelope & { by: string })[]> {
  const envelopes = JSON.parse(bytes) as Envelope[]
  return Promise.all(
    envelopes.map(async (envelope) => {
      const { action, signature } = envelope
      const fields = [...FIELDS.map((name) => ({ name, type: 'string' })), { name: 'nonce', type: 'uint64' }]
      const hash = hashTypedData({
        domain: {
          ...{ name: 'HyperliquidSignTransaction', version: '1', chainId: Number(action.signatureChainId) },
          verifyingContract: '0x0000000000000000000000000000000000000000',
        },
        types: { 'HyperliquidTransaction:SendAsset': fields },
        primaryType: 'HyperliquidTransaction:SendAsset',
        message: { ...action, nonce: BigInt(action.nonce) },
      })
      const { r, s, v } = signature
      return { ...envelope, by: await recoverAddress({ hash, signature: { r, s, v: BigInt(v) } }) }
    }),
  )
}

describe('the signer of a Hyperliquid network', () => {
  it('pays the order’s recipient, and a token by the id of its own file', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    expect(treasury).toBe(TREASURY)
    const honest = await orRefused(await attacker(), paying(hype, 5n * ONE, ALICE), [NONCE], draftOf())
    expect(await readBytes(honest?.bytes)).toMatchObject([
      {
        by: TREASURY,
        nonce: Number(NONCE),
        action: { destination: ALICE.toLowerCase(), token: HYPE_WIRE, amount: '5', hyperliquidChain: 'Mainnet' },
      },
    ])
    // The service asks for another token under the same name.
    const thief = await attacker({ tokens: { [HYPE]: `HYPE:0x${'ab'.repeat(16)}` } })
    const other = await orRefused(thief, paying(hype, ONE, ALICE), ['1790000000001'], draftOf())
    expect(await readBytes(other?.bytes)).toMatchObject([{ by: TREASURY, action: { token: HYPE_WIRE, amount: '1' } }])
  })

  it('knows one spelling of a slot: the same nonce is never signed for two orders', async () => {
    const { askFor, attacker } = await openSigner(family, mainnet)
    const adapter = await attacker()
    expect(await orRefused(adapter, paying(usdc, ONE, ALICE), [NONCE], draftOf())).not.toBeNull()
    const rival = paying(usdc, ONE, BOB)
    await expect(adapter.sign(rival, [NONCE], draftOf())).rejects.toThrow('was signed for another order')
    for (const slot of [[`0${NONCE}`], [`${NONCE} `], [NONCE, NONCE], [`+${NONCE}`], ['1.79e12'], []]) {
      const intent = { network: mainnet.name, order: rival, slot, draft: draftOf() }
      await expect(askFor(intent)).rejects.toThrow()
    }
  })

  it('signs only another variant of the same payment with the same nonce', async () => {
    const { attacker } = await openSigner(family, mainnet)
    const adapter = await attacker()
    const order = paying(usdc, ONE, ALICE)
    const first = await orRefused(adapter, order, [NONCE], draftOf())
    const second = await orRefused(adapter, order, [NONCE], draftOf({ variant: 7 }))
    expect(first?.hash).not.toBe(second?.hash)
    const said = (await Promise.all([first, second].map((one) => readBytes(one?.bytes)))).map(([one]) => {
      const { signatureChainId: _, ...rest } = one?.action ?? { signatureChainId: '' }
      return rest
    })
    expect(said[0]).toEqual(said[1])
  })

  it('empties deposit addresses into the treasury only, each by its own key', async () => {
    const { attacker } = await openSigner(family, mainnet)
    const adapter = await attacker()
    const address = (await adapter.depositAddresses?.derive(4)) ?? ''
    const sweep = (sources: SweepSource[]): Order => ({ kind: 'sweep', account: TREASURY, token: usdc, sources })
    const moves = [{ source: 0, dex: 'spot', units: `${3n * ONE}` }]
    const slot = [`${address}/4:${NONCE}`]
    const signed = await orRefused(adapter, sweep([{ address, index: 4 }]), slot, draftOf({ moves }))
    expect(await readBytes(signed?.bytes)).toMatchObject([
      {
        by: address,
        action: { destination: TREASURY.toLowerCase(), sourceDex: 'spot', destinationDex: 'spot', amount: '3' },
      },
    ])
    const foreign = sweep([{ address: ALICE, index: 4 }])
    await expect(adapter.sign(foreign, [`${ALICE}/4:${NONCE}`], draftOf({ moves }))).rejects.toThrow()
    // The treasury is not a deposit address, whatever index it is given.
    const own = sweep([{ address: TREASURY, index: 0 }])
    await expect(adapter.sign(own, [`${TREASURY}/0:${NONCE}`], draftOf({ moves }))).rejects.toThrow()
  })
})

describe('what is signed on a test network', () => {
  it('is nothing on the main one, though both have one chain id', async () => {
    const keys = mnemonicSigner(PHRASE)
    const digests = []
    for (const network of [mainnet, testnet]) {
      const adapter = await family.open({ network, signer: keys, log: quiet })
      const order = paying(network.nativeToken, ONE, ALICE)
      digests.push((await adapter.sign(order, [NONCE], draftOf())).hash)
    }
    expect(digests[0]).not.toBe(digests[1])
    await refuseSharedDomains({ networks: [mainnet, testnet] } as never, async () => family)
    const twin = { ...networkOf('Mainnet'), name: 'HYPERLIQUID_TWIN' }
    await expect(refuseSharedDomains({ networks: [mainnet, twin] } as never, async () => family)).rejects.toThrow(
      'HYPERLIQUID_MAINNET too',
    )
  })
})

it('whatever order and draft it is asked for, what leaves by its signature is the order', async () => {
  const { attacker } = await openSigner(family, mainnet, { max_fees_per_hour: '1000000' })
  const [honest, lax] = [await attacker(), await attacker({ max_fee: '1000000', treasury_floor: '1' })]
  let nonce = Number(NONCE)
  let signed = 0
  const hostile = fc.record(
    {
      variant: fc.oneof({ weight: 8, arbitrary: fc.nat(3_000) }, fc.double(), fc.constant('9')),
      held: fc.bigInt(0n, 2n ** 100n).map(String),
      time: fc.oneof({ weight: 8, arbitrary: fc.nat() }, fc.double()),
      moves: fc.constantFrom([], [], [{ source: 0, dex: 'spot', units: '5' }], 'all'),
      destination: fc.constant(BOB),
    },
    { requiredKeys: [] },
  )
  const wanted = fc.option(
    fc.tuple(fc.constantFrom(usdc, hype), fc.bigInt(1n, 10n ** 12n), fc.constantFrom(ALICE, BOB)),
  )
  await fc.assert(
    fc.asyncProperty(wanted, hostile, fc.boolean(), async (transfer, changes, isHonest) => {
      nonce += 1
      const order: Order = transfer ? paying(...transfer) : { kind: 'cancel', account: TREASURY }
      const asked = orRefused(isHonest ? honest : lax, order, [`${nonce}`], draftOf(changes))
      const answer = await asked.catch((error: Error) => {
        if (/not a draft/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      signed++
      const [only, ...more] = await readBytes(answer.bytes)
      expect(more).toEqual([])
      expect(only).toMatchObject({
        by: TREASURY,
        nonce,
        action: { type: 'sendAsset', nonce, sourceDex: 'spot', fromSubAccount: '' },
      })
      const [token, units, to] = transfer ?? [usdc, 100n, TREASURY]
      const [whole, fraction = ''] = String(only?.action.amount).split('.')
      expect(BigInt(whole + fraction.padEnd(8, '0'))).toBe(units)
      expect(only?.action).toMatchObject({
        destination: to.toLowerCase(),
        destinationDex: transfer ? 'spot' : '',
        token: token === usdc ? USDC_WIRE : HYPE_WIRE,
      })
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(5)
  expect(family.feeBounds?.(mainnet).payment).toBe(4n * ONE)
})
