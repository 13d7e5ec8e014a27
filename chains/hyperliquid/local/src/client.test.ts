/** The local chain works with the unmodified public client library, and refuses what the network refuses. */
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { digestOf, signDigest } from './eip712.ts'
import { startChain, type Testbed } from './testbed.ts'

let bed: Testbed
let info: InfoClient
let exchange: ExchangeClient

beforeAll(async () => {
  bed = await startChain()
  const transport = new HttpTransport({ isTestnet: true, apiUrl: bed.url, rpcUrl: bed.url })
  const wallet = privateKeyToAccount(bed.user.secret as `0x${string}`)
  info = new InfoClient({ transport })
  exchange = new ExchangeClient({ transport, wallet })
})
afterAll(() => bed.local.stop())

const USDC = 'USDC:0xeb62eee3685fc4c43992febcd9e75443'
const hex = (address: string) => address.toLowerCase() as `0x${string}`

it('the public library reads balances, fees, roles and ledgers', async () => {
  const user = hex(bed.user.address)
  const meta = await info.spotMeta()
  expect(meta.tokens.map(({ name, weiDecimals }) => [name, weiDecimals])).toEqual([
    ['USDC', 8],
    ['HYPE', 8],
  ])
  expect((await info.spotClearinghouseState({ user })).balances).toMatchObject([
    { coin: 'USDC', token: 0, total: '100000.0', hold: '0.0' },
    { coin: 'HYPE', total: '100000.0' },
  ])
  expect((await info.clearinghouseState({ user })).withdrawable).toBe('0.0')
  expect(await info.userRole({ user })).toEqual({ role: 'user' })
  const stranger = hex(await bed.stranger('unknown'))
  expect(await info.preTransferCheck({ user: stranger, source: user })).toEqual({
    ...{ fee: '1.0', isSanctioned: false, userExists: false, userHasSentTx: false },
  })
})

it('the public library sends by its three actions, and both ledgers show it', async () => {
  const to = hex(await bed.stranger('friend'))
  await exchange.spotSend({ destination: to, token: USDC, amount: '2.5' })
  await exchange.sendAsset({
    ...{ destination: to, sourceDex: 'spot', destinationDex: '', token: USDC, amount: '1.25', fromSubAccount: '' },
  })
  await exchange.sendAsset({
    ...{ destination: hex(bed.user.address), sourceDex: 'spot', destinationDex: '', token: USDC, amount: '8' },
  })
  await exchange.usdSend({ destination: to, amount: '4' })
  const rows = await info.userNonFundingLedgerUpdates({ user: to })
  expect(rows.map(({ delta }) => delta)).toMatchObject([
    { type: 'spotTransfer', amount: '2.5', fee: '1.0', destination: to },
    { type: 'send', amount: '1.25', sourceDex: 'spot', destinationDex: '', fee: '0.0' },
    { type: 'internalTransfer', usdc: '4.0', fee: '0.0' },
  ])
  const own = await info.userNonFundingLedgerUpdates({ user: hex(bed.user.address), startTime: rows[0]?.time ?? 0 })
  expect(own.map(({ hash }) => hash)).toEqual(expect.arrayContaining(rows.map(({ hash }) => hash)))
  expect((await info.clearinghouseState({ user: to })).withdrawable).toBe('5.25')
  expect((await info.spotClearinghouseState({ user: to })).balances).toMatchObject([{ coin: 'USDC', total: '2.5' }])
})

it('the public library is refused as by the network', async () => {
  const to = hex(await bed.stranger('refused'))
  await expect(exchange.spotSend({ destination: to, token: USDC, amount: '1000000' })).rejects.toThrow('Insufficient')
  await expect(
    exchange.spotSend({ destination: to, token: 'USDC:0x00000000000000000000000000000000', amount: '1' }),
  ).rejects.toThrow('Invalid token')
  const poor = new ExchangeClient({
    transport: exchange.config_.transport,
    wallet: privateKeyToAccount(`0x${'77'.repeat(32)}`),
  })
  await expect(poor.usdSend({ destination: to, amount: '1' })).rejects.toThrow('does not exist')
})

/** A plain payment of a user, changed before or after its signature. */
async function posted(
  changes: Record<string, unknown>,
  late: Record<string, unknown> = {},
  more = {},
): Promise<string | null> {
  const nonce = Date.now() + Math.floor(Math.random() * 1_000_000)
  const words = {
    ...{ type: 'sendAsset', signatureChainId: '0x66eee', hyperliquidChain: 'Testnet', sourceDex: 'spot' },
    ...{
      destination: hex(bed.other.address),
      destinationDex: 'spot',
      token: USDC,
      amount: '1',
      fromSubAccount: '',
      nonce,
    },
  }
  const action: Record<string, unknown> = { ...words, ...changes }
  const signature = signDigest(digestOf(action), Buffer.from(bed.user.secret.slice(2), 'hex'))
  return bed.node.post({ action: { ...action, ...late }, nonce: Number(action.nonce), signature, ...more })
}

it('a plain payment is accepted, and each of its fields is validated', async () => {
  expect(await posted({})).toBeNull()
  expect(await posted({ hyperliquidChain: 'Mainnet' })).toBe('Invalid hyperliquid chain')
  expect(await posted({ amount: '1.10' })).toBe('Invalid amount')
  expect(await posted({ amount: '01' })).toBe('Invalid amount')
  expect(await posted({ amount: '0' })).toBe('Amount must be positive')
  expect(await posted({ amount: '1.123456789' })).toBe('Amount has too many decimals')
  expect(await posted({ amount: '1.1234567', destinationDex: '' })).toBe('Amount has too many decimals')
  expect(await posted({ destinationDex: 'xyz' })).toBe('Invalid dex')
  expect(await posted({ destination: hex(bed.user.address) })).toBe('Cannot self-transfer')
  expect(await posted({}, {}, { expiresAfter: Date.now() })).toContain('expiresAfter')
  expect(await posted({}, {}, { nonce: 5 })).toContain('Nonce does not match')
  // The posted action differs from the signed one, so the recovered signer is an unknown account.
  expect(await posted({}, { amount: '2' })).toMatch(/^User or API Wallet 0x[0-9a-f]{40} does not exist/)
  expect(await posted({ destination: bed.other.address })).toContain('does not exist')
})

it('a nonce is accepted once, in its time, and not below the hundred highest', async () => {
  const now = Date.now()
  expect(await posted({ nonce: now - 5_000 })).toBeNull()
  expect(await posted({ nonce: now - 5_000 })).toContain('duplicate nonce')
  expect(await posted({ nonce: now - 2 * 24 * 3_600_000 })).toContain('outside the window')
  expect(await posted({ nonce: now + 25 * 3_600_000 })).toContain('outside the window')
  for (let count = 0; count < 100; count++) expect(await posted({ nonce: now + 10_000_000 + count })).toBeNull()
  expect(await posted({ nonce: now - 4_000 })).toContain('too low')
})

it('an account without money is forgotten with its ledger and nonces, so the treasury keeps a floor', async () => {
  const [, , , , victim] = bed.local.accounts
  if (!victim) throw new Error('no account')
  const wallet = privateKeyToAccount(victim.secret as `0x${string}`)
  const own = new ExchangeClient({ transport: exchange.config_.transport, wallet })
  const nonce = Date.now()
  const action = {
    ...{ type: 'sendAsset', signatureChainId: '0x66eee', hyperliquidChain: 'Testnet', sourceDex: 'spot', nonce },
    ...{ destination: hex(bed.other.address), destinationDex: 'spot', token: USDC, amount: '1', fromSubAccount: '' },
  }
  const signature = signDigest(digestOf(action), Buffer.from(victim.secret.slice(2), 'hex'))
  expect(await bed.node.post({ action, nonce, signature })).toBeNull()
  expect(await bed.node.post({ action, nonce, signature })).toContain('duplicate nonce')
  const hype = 'HYPE:0x7317beb7cceed72ef0b346074cc8e7ab'
  await own.spotSend({ destination: hex(bed.other.address), token: hype, amount: '100000' })
  await own.spotSend({ destination: hex(bed.other.address), token: USDC, amount: '99999' })
  expect(await info.userNonFundingLedgerUpdates({ user: hex(victim.address) })).toEqual([])
  expect(await info.userRole({ user: hex(victim.address) })).toEqual({ role: 'missing' })
  await bed.local.transfer(bed.other, bed.native, victim.address, 500_000_000n)
  // The old bytes are valid again.
  expect(await bed.node.post({ action, nonce, signature })).toBeNull()
})
