/**
 * Attacks A3 and A6 on Starknet: whatever the draft says, at most the order and a bounded fee leave, on one network
 * only.
 */
import type { Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/starknet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'

const USDC = '0x033068f6539f8e6e6b131e6b2b814e6c34a5224bc66947c47dab9dfee93b35fb'
const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'
const TRANSFER = '0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e'
const ALICE = `0x01${'a'.repeat(62)}`
const MALLORY = `0x02${'b'.repeat(62)}`
/** From the network file: three times the usual gas of a transfer, at the highest price. */
const MOST_FEE = 6_000_000n * 500n * 10n ** 9n + 1_728n * 100_000n * 10n ** 9n

const networkOf = (name: string, chainId: string, settings = {}): Network =>
  sampleNetwork(
    [
      { symbol: 'STRK', contract: null, decimals: 18 },
      { symbol: 'USDC', contract: USDC, decimals: 6 },
    ],
    { name, type: 'starknet', chainId, settings },
  )
const mainnet = networkOf('STARKNET_MAINNET', '0x534e5f4d41494e')
const sepolia = networkOf('STARKNET_SEPOLIA', '0x534e5f5345504f4c4941')
const [strk, usdc] = mainnet.tokens as [Token, Token]

const FAIR = { nonce: '7', l2Gas: '2000000', l2Price: '12000000000', dataGas: '576', dataPrice: '30', l1Price: '9' }
const draftOf = (changes: Record<string, unknown> = {}) => JSON.stringify({ ...FAIR, ...changes })
const paying = (account: string, to: string, token: Token, units: bigint): Order => ({
  ...{ kind: 'transfers', account },
  transfers: [{ to, amount: { token, units } }],
})

interface Wire {
  nonce: string
  tip: string
  calldata: string[]
  resource_bounds: Record<string, { max_amount: string; max_price_per_unit: string }>
}

/** Decoded by hand, field by field. */
function feeIn({ resource_bounds, tip }: Wire): bigint {
  expect(BigInt(tip)).toBe(0n)
  return Object.values(resource_bounds).reduce(
    (sum, { max_amount, max_price_per_unit }) => sum + BigInt(max_amount) * BigInt(max_price_per_unit),
    0n,
  )
}

describe('the signer of a Starknet network', () => {
  it('signs for no fee beyond its own file, whatever draft and file the service has', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet, { max_fee: '10', max_fees_per_hour: '100000' })
    const thief = await attacker({
      ...{ max_l2_price: '9'.repeat(30), max_data_price: '9'.repeat(30), base_l2_gas: 100_000_000 },
    })
    const honest = await attacker()
    let nonce = 100
    const amount = fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String)
    await fc.assert(
      fc.asyncProperty(amount, amount, amount, amount, async (l2Gas, l2Price, dataGas, dataPrice) => {
        const draft = draftOf({ l2Gas, l2Price, dataGas, dataPrice })
        const signed = await thief.sign(paying(treasury, ALICE, usdc, 1n), [`${nonce++}`], draft).catch(() => null)
        if (signed) expect(feeIn(JSON.parse(signed.bytes))).toBeLessThanOrEqual(MOST_FEE)
      }),
      { numRuns: 60 },
    )
    const fair = await orRefused(honest, paying(treasury, ALICE, usdc, 1n), ['7'], draftOf())
    expect(feeIn(JSON.parse(fair?.bytes ?? '{}'))).toBe(2_000_000n * 12_000_000_000n + 576n * 30n)
  })

  it('pays exactly the order that it was shown, and no other in the same nonce', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    const adapter = await attacker()
    const signed = await orRefused(adapter, paying(treasury, ALICE, strk, 5n), ['7'], draftOf())
    const wire: Wire = JSON.parse(signed?.bytes ?? '{}')
    expect(wire.calldata).toEqual(['0x1', STRK, TRANSFER, '0x3', `0x1${'a'.repeat(62)}`, '0x5', '0x0'])
    await expect(adapter.sign(paying(treasury, MALLORY, strk, 5n), ['7'], draftOf())).rejects.toThrow(
      'was signed for another order',
    )
    const cancel = await orRefused(adapter, { kind: 'cancel', account: treasury }, ['7'], draftOf())
    expect(JSON.parse(cancel?.bytes ?? '{}').calldata).toEqual([
      '0x1',
      STRK,
      TRANSFER,
      '0x3',
      `0x${BigInt(treasury).toString(16)}`,
      '0x0',
      '0x0',
    ])
  })

  it('makes the digest itself: another one beside a fair order is refused', async () => {
    const { signer, askFor, treasury } = await openSigner(family, mainnet)
    const key = { curve: 'stark', path: "m/44'/9004'/0'/0/0" } as const
    const intent = { network: mainnet.name, order: paying(treasury, ALICE, usdc, 1n), slot: ['8'], draft: draftOf() }
    await expect(signer.sign(key, new Uint8Array(32).fill(1), intent)).rejects.toThrow('refuses')
    await expect(signer.sign(key, new Uint8Array(32).fill(1), { read: '{}' }), 'nor is it a read').rejects.toThrow(
      'no bare digest',
    )
    for (const slot of [['08'], ['8', '9'], ['0x8'], []]) {
      await expect(askFor({ ...intent, slot })).rejects.toThrow()
    }
  })

  it('pays no account that another class or fee token of the service’s file leads to', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    const elsewhere = await attacker({ fee_token: MALLORY })
    const signed = await orRefused(elsewhere, paying(treasury, ALICE, strk, 5n), ['9'], draftOf())
    const wire: Wire = JSON.parse(signed?.bytes ?? '{}')
    expect(wire.calldata).toEqual(['0x1', STRK, TRANSFER, '0x3', `0x1${'a'.repeat(62)}`, '0x5', '0x0'])
    const other = await attacker({ account_class: '0x123' })
    expect(other.treasury).not.toBe(treasury)
    await expect(other.sign(paying(other.treasury, ALICE, strk, 5n), ['9'], draftOf())).rejects.toThrow()
  })
})

describe('what is signed on a test network', () => {
  it('is for that chain alone, though the account has the same address', async () => {
    await refuseSharedDomains({ networks: [mainnet, sepolia] } as never, async () => family)
    const [main, test] = [await openSigner(family, mainnet), await openSigner(family, sepolia)]
    expect(main.treasury).toBe(test.treasury)
    const order = (token: Token) => paying(main.treasury, ALICE, token, 5n)
    const one = await orRefused(await main.attacker(), order(strk), ['7'], draftOf())
    const two = await orRefused(await test.attacker(), order(sepolia.nativeToken), ['7'], draftOf())
    expect(one?.hash).not.toBe(two?.hash)
    expect(JSON.parse(one?.bytes ?? '').signature).not.toEqual(JSON.parse(two?.bytes ?? '').signature)
  })
})
