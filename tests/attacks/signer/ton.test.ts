/**
 * Attacks A3 and A6 on TON: whatever the draft says, at most the order and a bounded fee leave, on one network only.
 */
import type { Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/ton'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused, PHRASE, quiet } from './signer.ts'
import { readRequest } from './ton-cells.ts'

const MAIN = 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk='
const TEST = 'gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg='
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
/** USDT wallets reference their code in the network's library, and their data begins with a status. */
const USDT_CODE = 'b5ee9c72010101010023000842028f452d7a4dfd74066b682365177259ed05734435be76b5fd4bd5d8af2b7c3d68'
const OTHER = 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'
const TON = 10n ** 9n
/** Per message, for the message to itself that carries several, and per jetton transfer. */
const [PER_MESSAGE, BATCH, JETTON] = [20_000_000n, 50_000_000n, 100_000_000n]

const networkOf = (name: string, zeroState: string, settings: Record<string, unknown> = {}): Network =>
  sampleNetwork(
    [
      { symbol: 'TON', contract: null, decimals: 9 },
      { symbol: 'USDT', contract: USDT, decimals: 6 },
      { symbol: 'NOT', contract: OTHER, decimals: 9 },
    ],
    {
      name,
      type: 'ton',
      settings: { zero_state: zeroState, jettons: { [USDT]: { code: USDT_CODE, layout: 'governed' } }, ...settings },
    },
  )
const mainnet = networkOf('TON_MAINNET', MAIN)
const testnet = networkOf('TON_TESTNET', TEST)
const [ton, usdt, other] = mainnet.tokens as [Token, Token, Token]

const addressOf = (byte: number) => family.parseAddress(`0:${byte.toString(16).padStart(2, '0').repeat(32)}`) ?? ''
const ALICE = addressOf(7)
/** In a friendly address: after one byte of flags and one for the workchain. */
const hexOf = (address: string) => Buffer.from(address, 'base64url').subarray(2, 34).toString('hex')
const paying = (account: string, ...transfers: [Token, bigint, string][]): Order => ({
  ...{ kind: 'transfers', account },
  transfers: transfers.map(([token, units, to]) => ({ to, amount: { token, units } })),
})
const draftOf = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({ time: 1_000, isDeployed: true, variant: 0, ...changes })
/**
 * The USDT wallet of the mnemonic's treasury: the hash of the wallet's code and initial data, computed once by hand.
 */
const USDT_WALLET = 'ef4190465d92ed45612f2f349d87b3e65b8a8aef0a277b53eee58c92ee5126fd'
/** The mnemonic's treasury on mainnet: it must never change. */
const TREASURY = 'EQD6XdfKjv82xNmmn9giPa-X2JKbSmxY7d0M9zPI5V-_LbGU'

describe('the signer of a TON network', () => {
  it('sends no 50,000 TON to a wallet of the draft for 0.000001 USDT', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    const draft = draftOf({ jettonValue: `${50_000n * TON}`, wallets: { [USDT]: ALICE } })
    const order = paying(treasury, [usdt, 1n, ALICE])
    // As the attacker's code would write it: another value, and a wallet of their choice.
    const thief = await attacker({ jetton_value: '50000', jettons: {} })
    const redirected = await attacker({ jettons: {} })
    for (const adapter of [thief, redirected, await attacker()]) {
      const signed = await orRefused(adapter, order, ['7@1000'], draft)
      const [sent] = readRequest(signed?.bytes ?? '').sent
      expect(sent).toMatchObject({
        to: USDT_WALLET,
        value: JETTON,
        mode: 1,
        jetton: { units: 1n, to: hexOf(ALICE) },
      })
    }
  })

  it('signs for no jetton whose wallets its own file does not pin', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    const draft = draftOf({ wallets: { [OTHER]: ALICE } })
    await expect((await attacker()).sign(paying(treasury, [other, 1n, ALICE]), ['7@1000'], draft)).rejects.toThrow(
      'is not pinned',
    )
    const pinned = networkOf('TON_MAINNET', MAIN, { jettons: { [OTHER]: { wallet: addressOf(9) } } })
    const signer = await openSigner(family, pinned)
    const answer = await orRefused(await signer.attacker(), paying(treasury, [other, 1n, ALICE]), ['7@1000'], draft)
    expect(readRequest(answer?.bytes ?? '').sent).toMatchObject([{ to: '09'.repeat(32), value: JETTON }])
  })

  it('knows one spelling of a slot: the same id is never signed for two orders', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, mainnet)
    const adapter = await attacker()
    expect(await orRefused(adapter, paying(treasury, [ton, TON, ALICE]), ['7@1000'], draftOf())).not.toBeNull()
    const rival = paying(treasury, [ton, TON, addressOf(8)])
    await expect(adapter.sign(rival, ['7@1000'], draftOf())).rejects.toThrow('was signed for another order')
    for (const slot of [['07@1000'], ['7@01000'], ['7@1000', '7@1000'], ['1023@1000'], ['8388608@1000'], ['7@1000 ']]) {
      const intent = { network: mainnet.name, order: rival, slot, draft: draftOf() }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
  })
})

describe('what is signed on a test network', () => {
  it("is for another contract than the main network's, by its address and by the signed number", async () => {
    const keys = mnemonicSigner(PHRASE)
    const [main, test] = await Promise.all([mainnet, testnet].map((network) => family.treasury(network, keys)))
    expect(main).toBe(TREASURY)
    expect(main).not.toBe(test)
    const requests = []
    for (const network of [mainnet, testnet]) {
      const adapter = await family.open({ network, signer: keys, log: quiet })
      const token = network.nativeToken
      const signed = await adapter.sign(paying(adapter.treasury, [token, TON, ALICE]), ['7@1000'], draftOf())
      requests.push(readRequest(signed.bytes))
    }
    expect(requests[0]).toMatchObject({ subwalletId: 0x10ad, to: hexOf(main ?? '') })
    expect(requests[1]).toMatchObject({ to: hexOf(test ?? '') })
    expect(requests[1]?.subwalletId).not.toBe(0x10ad)
  })

  it('cannot be told apart where a file says so, and then no signer serves both', async () => {
    const families = async () => family
    await refuseSharedDomains({ networks: [mainnet, testnet] } as never, families)
    const same = networkOf('TON_TESTNET', TEST, { subwallet_id: 0x10ad })
    await expect(refuseSharedDomains({ networks: [mainnet, same] } as never, families)).rejects.toThrow(
      'TON_MAINNET too',
    )
  })
})

it('whatever order and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, mainnet, { max_fees_per_hour: '1000000' })
  const [honest, lax] = [await attacker(), await attacker({ jetton_value: '50000', jettons: {} })]
  let query = 0
  let signed = 0
  const transfer = fc.tuple(
    fc.constantFrom(ton, ton, ton, usdt, usdt, usdt, other),
    fc.bigInt(1n, 10n ** 12n),
    fc.constantFrom(ALICE, treasury),
  )
  const hostile = fc.record(
    {
      variant: fc.oneof({ weight: 8, arbitrary: fc.nat() }, fc.double(), fc.constant('9')),
      jettonValue: fc.bigInt(0n, 2n ** 100n).map(String),
      wallets: fc.constantFrom({ [USDT]: ALICE }, { [USDT]: treasury, [OTHER]: ALICE }, {}),
      isDeployed: fc.boolean(),
      time: fc.oneof({ weight: 8, arbitrary: fc.nat() }, fc.double()),
      mode: fc.constantFrom(128, 64, 3),
    },
    { requiredKeys: [] },
  )
  const orders = fc.array(transfer, { minLength: 0, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(orders, hostile, fc.boolean(), async (transfers, changes, isHonest) => {
      const order: Order =
        transfers.length === 0 ? { kind: 'cancel', account: treasury } : paying(treasury, ...transfers)
      const slot = `${query++}@1000`
      const answer = await orRefused(isHonest ? honest : lax, order, [slot], draftOf(changes)).catch((error: Error) => {
        if (/not a draft|is not known/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      signed++
      const read = readRequest(answer.bytes)
      expect(read).toMatchObject({ to: hexOf(treasury), subwalletId: 0x10ad, queryId: query - 1, createdAt: 1_000n })
      expect(read.sent).toHaveLength(transfers.length === 0 ? 0 : transfers.length)
      for (const [position, [token, units, to]] of transfers.entries()) {
        const sent = read.sent[position]
        expect(sent?.workchain).toBe(0)
        expect(sent?.mode).toBe(1)
        if (token === ton) expect(sent).toMatchObject({ to: hexOf(to), value: units, jetton: null })
        else {
          expect(token).toBe(usdt)
          const jetton = { units, to: hexOf(to), response: hexOf(treasury), forward: 1n }
          expect(sent).toMatchObject({ to: USDT_WALLET, value: JETTON, jetton })
        }
      }
      expect(read.toItself).toBe(transfers.length === 1 ? 0n : BATCH)
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(5)
  expect(family.feeBounds?.(mainnet).payment).toBe(3n * PER_MESSAGE + BATCH + JETTON)
})
