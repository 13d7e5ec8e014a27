/**
 * Attack A3 on EVM: whatever the draft says, at most the order and a bounded fee leave the wallet. Checked by
 * @ethereumjs/tx.
 */
import type { Order, Token } from '@causeway/core'
import { family } from '@causeway/evm'
import { createTxFromRLP } from '@ethereumjs/tx'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { depositoryAddress, paymasterAddress } from '../../../chains/evm/src/depositing/depository.ts'
import { factoryDeployment } from '../../../chains/evm/src/depositing/forwarder.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused } from './signer.ts'

const USDC = getAddress('0x036CbD53842c5426634e7929541eC2318f3dCF7e')
const ALICE = getAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')
const ETHER = 10n ** 18n
/** The chain that the independent decoder assumes by default. */
const CHAIN_ID = '1'
const network = sampleNetwork(
  [
    { symbol: 'ETH', contract: null, decimals: 18 },
    { symbol: 'USDC', contract: USDC, decimals: 6 },
  ],
  {
    name: 'ETHEREUM_MAINNET',
    type: 'evm',
    chainId: CHAIN_ID,
    settings: { max_fee_gwei: 100, max_transfer_gas: 100_000, included_gas: 60_000, charged_gas: 100_000 },
  },
)
const [eth, usdc] = network.tokens as [Token, Token]
/** The network file's bound: 125,000 gas with the margin, at 100 gwei. */
const DEAREST = 125_000n * 100n * 10n ** 9n
/** As permissive as a network file can be. */
const LAX = { max_fee_gwei: 1_000_000, max_transfer_gas: 100_000_000, gas_margin_percent: 300 }

const termsOf = (gas: bigint, maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
  JSON.stringify({
    gas: `${gas}`,
    nonce: '0',
    maxFeePerGas: `${maxFeePerGas}`,
    maxPriorityFeePerGas: `${maxPriorityFeePerGas}`,
  })
const paying = (account: string, token: Token, units: bigint, to = ALICE): Order => ({
  ...{ kind: 'transfers', account, transfers: [{ to, amount: { token, units } }] },
})

describe('the signer of an EVM network', () => {
  it('gives no tip of 500 ETH with a unit of USDC, without a line of policy about fees', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const adapter = await attacker(LAX)
    const tip = 10n ** 15n
    const order = paying(treasury, usdc, 1n)
    expect(await orRefused(adapter, order, ['0'], termsOf(500_000n, tip, tip))).toBeNull()
    expect(await orRefused(adapter, order, ['0'], termsOf(65_000n, tip, tip))).toBeNull()
    expect(await orRefused(adapter, order, ['0'], termsOf(65_000n, 10n ** 9n, 10n ** 9n))).not.toBeNull()
  })

  it('offers no tip above the whole price', async () => {
    const { askFor, treasury } = await openSigner(family, network)
    const draft = termsOf(65_000n, 10n ** 9n, 10n ** 9n + 1n)
    const intent = { network: network.name, order: paying(treasury, usdc, 1n), slot: ['0'], draft }
    await expect(askFor(intent)).rejects.toThrow('tip above')
  })

  it('lets no hour of fees grow beyond ten of the dearest, replacements and cancellations included', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const adapter = await attacker(LAX)
    const dear = termsOf(125_000n, 100n * 10n ** 9n, 1n)
    const half = termsOf(125_000n, 50n * 10n ** 9n, 1n)
    for (let nonce = 0; nonce < 9; nonce++) {
      expect(await orRefused(adapter, paying(treasury, usdc, 1n), [`${nonce}`], dear)).not.toBeNull()
    }
    expect(await orRefused(adapter, paying(treasury, usdc, 1n), ['9'], half)).not.toBeNull()
    expect(await orRefused(adapter, paying(treasury, usdc, 1n), ['10'], half)).not.toBeNull()
    expect(await orRefused(adapter, paying(treasury, usdc, 1n), ['9'], dear)).toBeNull()
    expect(await orRefused(adapter, { kind: 'cancel', account: treasury }, ['9'], dear)).toBeNull()
    expect(await orRefused(adapter, { kind: 'cancel', account: treasury }, ['9'], half)).not.toBeNull()
  })

  it('counts the worst fee in the ceiling of the native token', async () => {
    const tokens = { ETH: { max: '1', max_per_hour: '1' } }
    const { attacker, treasury } = await openSigner(family, network, { tokens })
    const adapter = await attacker()
    const terms = termsOf(100_000n, 10n ** 9n, 1n)
    const fee = 100_000n * 10n ** 9n
    expect(await orRefused(adapter, paying(treasury, eth, ETHER - fee + 1n), ['0'], terms)).toBeNull()
    expect(await orRefused(adapter, paying(treasury, eth, ETHER - fee), ['0'], terms)).not.toBeNull()
  })

  it('takes no two spellings of a nonce, and no nonce that looks like its neighbour on the wire', async () => {
    const { askFor, treasury } = await openSigner(family, network)
    for (const slot of [['07'], ['7', '8'], ['9007199254740993'], ['+7'], ['7.0']]) {
      const intent = { network: network.name, order: paying(treasury, eth, 1n), slot, draft: termsOf(21_000n, 1n, 1n) }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
  })

  describe('where calls are allowed', () => {
    const calling = (account: string, to: string, data = '0x'): Order => ({
      ...{ kind: 'transfers', account, transfers: [], call: JSON.stringify({ to, data, needs: null }) },
    })
    const cheap = (gas: bigint) => termsOf(gas, 1n, 1n)

    it('gives an owner’s code no more gas than a relay may use, whatever the call says of itself', async () => {
      const { attacker, treasury } = await openSigner(family, network, { kinds: ['call'] })
      const adapter = await attacker({ ...LAX, max_call_gas: 1_000_000_000 })
      const paymaster = paymasterAddress(treasury, depositoryAddress(treasury, treasury))
      expect(await orRefused(adapter, calling(treasury, paymaster), ['0'], cheap(250_001n))).toBeNull()
      expect(await orRefused(adapter, calling(treasury, paymaster), ['0'], cheap(16_000_000n))).toBeNull()
      expect(await orRefused(adapter, calling(treasury, paymaster.toLowerCase()), ['0'], cheap(250_001n))).toBeNull()
      expect(await orRefused(adapter, calling(treasury, paymaster), ['0'], cheap(250_000n))).not.toBeNull()
    })

    it('bounds them by a setting of its own files where the layer below is in the gas', async () => {
      const settings = { ...network.settings, max_call_gas: 900_000 }
      const { attacker, treasury } = await openSigner(family, { ...network, settings }, { kinds: ['call'] })
      const adapter = await attacker({ ...LAX, max_call_gas: 1_000_000_000 })
      const paymaster = paymasterAddress(treasury, depositoryAddress(treasury, treasury))
      expect(await orRefused(adapter, calling(treasury, paymaster), ['0'], cheap(900_001n))).toBeNull()
      expect(await orRefused(adapter, calling(treasury, paymaster), ['0'], cheap(900_000n))).not.toBeNull()
    })

    it('deploys no foreign code', async () => {
      const { askFor, attacker, treasury } = await openSigner(family, network, { kinds: ['call'] })
      const own = factoryDeployment(treasury)
      const strange = calling(treasury, own.to, `${own.data}00`)
      const intent = { network: network.name, order: strange, slot: ['0'], draft: cheap(2_000_000n) }
      await expect(askFor(intent)).rejects.toThrow('not ours to deploy')
      const adapter = await attacker()
      expect(await orRefused(adapter, calling(treasury, own.to, own.data), ['0'], cheap(2_000_000n))).not.toBeNull()
    })
  })

  it('fences one wallet by one name', async () => {
    const { askFor, treasury } = await openSigner(family, network)
    const order = paying(treasury.toLowerCase(), eth, 1n)
    const intent = { network: network.name, order, slot: ['0'], draft: termsOf(21_000n, 1n, 1n) }
    await expect(askFor(intent)).rejects.toThrow('not the wallet of this network')
  })
})

it('whatever order and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, network, { max_fees_per_hour: '1000000' })
  const adapter = await attacker(LAX)
  let nonce = 0
  let signed = 0
  const gas = fc.oneof(fc.bigInt(21_000n, 125_000n), fc.bigInt(-1n, 2n ** 64n))
  const price = fc.oneof(fc.bigInt(0n, 100n * 10n ** 9n), fc.bigInt(-1n, 2n ** 80n))
  const orders = fc.record({
    token: fc.constantFrom(eth, usdc),
    units: fc.bigInt(1n, 10n ** 12n),
    to: fc.constantFrom(ALICE, USDC, getAddress(treasury)),
    isCancel: fc.boolean(),
  })
  const draft = fc.tuple(gas, price, price).chain(([limit, max, tip]) => {
    return fc.constantFrom([limit, max, tip], [limit, max, max < tip ? max : tip])
  })
  await fc.assert(
    fc.asyncProperty(orders, draft, async ({ token, units, to, isCancel }, [limit = 0n, max = 0n, tip = 0n]) => {
      const order: Order = isCancel ? { kind: 'cancel', account: treasury } : paying(treasury, token, units, to)
      const slot = [`${nonce++}`]
      const answer = await orRefused(adapter, order, slot, termsOf(limit, max, tip)).catch((error: Error) => {
        // Values that even the attacker's code cannot encode.
        if (/tip above|not a draft|RangeError|may use|may offer/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      signed++
      const read = createTxFromRLP(Buffer.from(answer.bytes.slice(2), 'hex'))
      const data = Buffer.from(read.data).toString('hex')
      const isNative = !isCancel && token === eth
      expect(read.getSenderAddress().toString()).toBe(treasury.toLowerCase())
      expect(read.nonce).toBe(BigInt(slot[0] ?? ''))
      expect(read.value).toBe(isNative ? units : 0n)
      expect(read.common.chainId()).toBe(BigInt(CHAIN_ID))
      const target = isCancel ? treasury : isNative ? to : USDC
      expect(read.to?.toString()).toBe(target.toLowerCase())
      const words = `a9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${units.toString(16).padStart(64, '0')}`
      expect(data).toBe(isCancel || isNative ? '' : words)
      const { maxFeePerGas, maxPriorityFeePerGas, gasLimit } = read as unknown as Record<string, bigint>
      expect((maxFeePerGas ?? 0n) * (gasLimit ?? 0n) <= DEAREST).toBe(true)
      expect((maxPriorityFeePerGas ?? 0n) <= (maxFeePerGas ?? 0n)).toBe(true)
    }),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(5)
})
