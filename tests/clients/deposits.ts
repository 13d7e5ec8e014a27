/** Deposit actions per kind of network: what clients pass on to a wallet unchanged. */
import type { Sandbox } from '@causeway/devnet'
import { decodeFunctionData, getAddress, parseAbi, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Authorization, DepositAction, Details } from './reads.ts'
import { callerOf, FROM, TO } from './service.ts'

const ERC20 = parseAbi(['function transfer(address to, uint256 amount)'])
const DEPOSITORY = parseAbi([
  'function depositNative(bytes32 id, address receiver) payable',
  'function depositERC20(bytes32 id, address token, address receiver, uint256 amount)',
])
const HEX_WORD = /^0x[0-9a-f]{64}$/i

export function depositsOfClients(sandbox: () => Sandbox): void {
  // An integrator's demo and a wallet kit send no key, and amounts as numbers.
  const client = () => callerOf(`${sandbox().url}/api/v2`)
  const account = (network: string, index: number) => sandbox().devnets.get(network)?.accounts[index]?.address ?? ''

  async function actionFor(network: string, token: string, fields: object = {}) {
    const created = await client().make(Details, '/swaps', {
      ...{ source_network: network, source_token: token, destination_network: TO, destination_token: 'USDC' },
      ...{ destination_address: account(TO, 1), ...fields },
    })
    const [action] = created.deposit_actions
    if (!action) throw new Error(`nothing to deposit: ${JSON.stringify(created.swap)}`)
    return { ...created, action }
  }

  describe('what wallets are told to send', () => {
    it('EVM, the coin: an amount that a wallet can write without an exponent, and a memo as data', async () => {
      const { action } = await actionFor(FROM, 'ETH', { amount: 0.1, source_address: account(FROM, 0) })
      expect(action.type).toBe('transfer')
      expect(parseEther(action.amount.toString())).toBe(BigInt(action.amount_in_base_units))
      expect(action.call_data).toMatch(/^0x([0-9a-f]{2})+$/)
      getAddress(action.to_address)
    })

    it('EVM, a token: sent to its contract with no coin, the transfer inside the data and the memo behind it', async () => {
      const { action } = await actionFor(FROM, 'USDC', { amount: 30, source_address: account(FROM, 0) })
      expect(action).toMatchObject({ to_address: action.token.contract, amount: 0, amount_in_base_units: '0' })
      const data = action.call_data as `0x${string}`
      const { args } = decodeFunctionData({ abi: ERC20, data: data.slice(0, 2 + 2 * 68) as `0x${string}` })
      expect(args[1]).toBe(30_000_000n)
      expect(data.length).toBeGreaterThan(2 + 2 * 68)
    })

    it('the Depository: arguments in order, the id of 32 bytes, addresses of 20, the amount in hex', async () => {
      const coin = await actionFor(FROM, 'ETH', { amount: 0.1, use_depository: true })
      const [id, receiver] = coin.action.encoded_args
      expect(coin.action.encoded_args).toHaveLength(2)
      expect(id).toMatch(HEX_WORD)
      const native = decodeFunctionData({ abi: DEPOSITORY, data: coin.action.call_data as `0x${string}` })
      expect(native).toMatchObject({ functionName: 'depositNative', args: [id, getAddress(receiver ?? '')] })
      expect(coin.action.gas_limit).toMatch(/^\d+$/)

      const token = await actionFor(FROM, 'USDC', { amount: 30, use_depository: true })
      const [tokenId, contract, to, units] = token.action.encoded_args
      expect(token.action).toMatchObject({ amount: 0, amount_in_base_units: '0' })
      expect(tokenId).toMatch(HEX_WORD)
      expect([getAddress(contract ?? ''), getAddress(to ?? '')]).toHaveLength(2)
      expect(BigInt(units ?? '')).toBe(30_000_000n)
      expect(tokenId).not.toBe(id)
      const called = decodeFunctionData({ abi: DEPOSITORY, data: token.action.call_data as `0x${string}` })
      expect(called.functionName).toBe('depositERC20')
    })

    it('a signature instead of a transaction, which the create answer holds already, and one only', async () => {
      const owner = sandbox().devnets.get(FROM)?.accounts[4]
      const { swap, action } = await actionFor(FROM, 'USDC', {
        ...{ amount: '30', source_address: owner?.address, use_gasless: true, use_depository: true },
      })
      expect(action.type).toBe('sign')
      const Typed = z.looseObject({
        types: z.looseObject({ EIP712Domain: z.array(z.unknown()) }),
        primaryType: z.enum(['ReceiveWithAuthorization', 'Permit']),
        domain: z.looseObject({ name: z.string(), version: z.string(), verifyingContract: z.string() }),
        message: z.looseObject({}),
      })
      const Signed = DepositAction.extend({
        valid_before: z.int(),
        valid_after: z.int(),
        nonce: z.string(),
        typed_data: Typed,
      })
      const { valid_before, typed_data } = Signed.parse(action)
      expect(valid_before * 1000).toBeGreaterThan(Date.now() + 20 * 60_000)
      expect(JSON.parse(JSON.stringify(typed_data))).toEqual(typed_data)
      if (!owner) throw new Error('there is no such account')
      const signature = await sandbox().devnets.get(FROM)?.sign?.(owner, typed_data)
      const body = { signature, signer_address: owner.address }
      await client().make(z.looseObject({}), `/swaps/${swap.id}/authorize`, body)
      const status = async () => (await client().read(Authorization, `/swaps/${swap.id}/authorize`)).status
      await expect.poll(status, { timeout: 60_000 }).toBe('completed')
      const { transaction } = await client().read(Authorization, `/swaps/${swap.id}/authorize`)
      expect(transaction?.transaction_hash).toMatch(HEX_WORD)
      const again = await client().refused('POST', `/swaps/${swap.id}/authorize`, body)
      expect(again.message).toMatch(/already.*authoriz/i)
    })

    it('Solana: a transaction without signatures, for the sender', async () => {
      const source_address = account('SOLANA_DEVNET', 0)
      const { action } = await actionFor('SOLANA_DEVNET', 'SOL', { amount: 0.5, source_address })
      const bytes = Buffer.from(action.call_data ?? '', 'base64')
      // The number of signatures, then empty space for them; a legacy message has no version prefix.
      expect(bytes[0]).toBe(1)
      expect(bytes.subarray(1, 65).every((byte) => byte === 0)).toBe(true)
      expect((bytes[65] ?? 0) & 0x80).toBe(0)
      expect(action.amount).toBe(0.5)
    })

    it('Bitcoin: the bare number of the swap, which wallets write in hex', async () => {
      const { action, swap } = await actionFor('BITCOIN_TESTNET', 'BTC', { amount: '0.001' })
      expect(action.call_data).toBe(String(swap.metadata.sequence_number))
      expect(Number.isSafeInteger(Number(action.call_data))).toBe(true)
      expect(action).toMatchObject({ amount: 0.001, amount_in_base_units: '100000' })
    })

    it('TON: a comment, and the amount in base units as text', async () => {
      const { action } = await actionFor('TON_TESTNET', 'TON', { amount: 20 })
      expect(JSON.parse(action.call_data ?? '')).toMatchObject({
        comment: expect.stringMatching(/./),
        amount: action.amount_in_base_units,
        asset: 'TON',
      })
    })

    it('a deposit address, for a fixed amount and for whatever comes', async () => {
      const fixed = await actionFor(FROM, 'ETH', { amount: 0.1, use_deposit_address: true, source_address: null })
      expect(fixed.action).toMatchObject({ type: 'manual_transfer', call_data: null, amount: 0.1 })
      const open = await actionFor(FROM, 'ETH', { use_deposit_address: true, refund_address: account(FROM, 2) })
      expect(open.action).toMatchObject({ type: 'manual_transfer', call_data: null, amount: 0 })
      expect(open.swap.requested_amount).toBe(0)
      expect(open.action.to_address).not.toBe(fixed.action.to_address)
      const actions = await client().read(z.array(DepositAction), `/swaps/${open.swap.id}/deposit_actions`)
      expect(actions[0]?.to_address).toBe(open.action.to_address)
    })
  })
}
