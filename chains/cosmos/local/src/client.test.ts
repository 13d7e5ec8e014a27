/** The public client library of the family, unmodified, works on the local chain: what it sends is what we read. */
import { DirectSecp256k1Wallet } from '@cosmjs/proto-signing'
import { assertIsDeliverTxSuccess, GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import { Comet38Client } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { rawBytes } from '../../src/transaction.ts'
import { addressOn } from './accounts.ts'
import { drain, draw, payment, person, startChain, type TestChain, tokenOf, USDC } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

async function connect(number: number) {
  const wallet = await DirectSecp256k1Wallet.fromKey(Uint8Array.from(Buffer.from(person(number).secret, 'hex')), 'osmo')
  const options = { gasPrice: GasPrice.fromString('0.05uosmo'), broadcastPollIntervalMs: 20 }
  return SigningStargateClient.connectWithSigner(chain.url, wallet, options)
}

it('a transfer with a memo that a wallet made with it is a deposit of that swap, to the unit', async () => {
  const { adapter, treasury, network } = chain
  const from = addressOn(network, person(0))
  const client = await connect(0)
  const { next } = await adapter.scan(null, staticWatchlist(treasury))
  const coins = [
    ['uosmo', 1_500_000n, '7000000001'],
    [USDC, 250_000n, '7000000002'],
  ] as const
  for (const [denom, units, memo] of coins) {
    const sent = await client.sendTokens(from, treasury, [{ denom, amount: units.toString() }], 'auto', memo)
    assertIsDeliverTxSuccess(sent)
  }
  const seen = await drain(adapter, next, treasury)
  expect(
    seen.map(({ refundableSender: payer, to, amount, reference }) => [
      payer,
      to,
      amount.token.symbol,
      amount.units,
      reference,
    ]),
  ).toEqual([
    [from, treasury, 'OSMO', 1_500_000n, 7_000_000_001n],
    [from, treasury, 'USDC', 250_000n, 7_000_000_002n],
  ])
  expect(seen.map(({ fundingAddresses: senders }) => senders)).toEqual([[from], [from]])
})

it('it reads from the chain what we paid, and verifies nothing less than we do', async () => {
  const { adapter, network, treasury, mine } = chain
  const client = await connect(1)
  const to = addressOn(network, person(1))
  const before = BigInt((await client.getBalance(to, USDC)).amount)
  const order = payment(treasury, to, tokenOf(network, 'USDC'), 321n)
  const { slot, signed } = await draw(adapter, order)
  const sent = await client.broadcastTx(Uint8Array.from(Buffer.from(signed.bytes, 'base64')), 10_000, 20)
  expect([sent.transactionHash, sent.code]).toEqual([signed.hash, 0])
  expect(BigInt((await client.getBalance(to, USDC)).amount)).toBe(before + 321n)
  await mine()
  const status = await adapter.status({ hash: signed.hash, slot, account: treasury }, nothingSigned)
  expect(status).toMatchObject({ state: 'included', block: { number: BigInt(sent.height) } })
  const comet = await Comet38Client.connect(chain.url)
  const block = await comet.block(sent.height)
  expect(Buffer.from(block.blockId.hash).toString('hex').toUpperCase()).toBe('block' in status ? status.block.hash : '')
  expect(await client.getSequence(treasury)).toMatchObject({ sequence: 1 })
})

it("a tampered signature, a wrong sequence and too small a fee are rejected with the SDK's codes", async () => {
  const { network } = chain
  const client = await connect(2)
  const from = addressOn(network, person(2))
  const message = {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: { fromAddress: from, toAddress: from, amount: [{ denom: 'uosmo', amount: '1' }] },
  }
  const fee = { amount: [{ denom: 'uosmo', amount: '20000' }], gas: '200000' }
  type Signed = Awaited<ReturnType<typeof client.sign>>
  const codeOf = async ({ bodyBytes, authInfoBytes, signatures }: Signed) =>
    client.broadcastTx(rawBytes(bodyBytes, authInfoBytes, signatures), 10_000, 20).then(
      ({ code }) => code,
      ({ code }: { code: number }) => code,
    )
  const good = await client.sign(from, [message], fee, '')
  const bad = structuredClone(good)
  const [signature] = bad.signatures
  if (signature) signature[5] = (signature[5] ?? 0) ^ 1
  expect(await codeOf(bad)).toBe(4)
  const { accountNumber, sequence } = await client.getSequence(from)
  const signerData = (changes: object) => ({ accountNumber, sequence, chainId: 'osmo-test-5', ...changes })
  expect(await codeOf(await client.sign(from, [message], fee, '', signerData({ sequence: sequence + 1 })))).toBe(32)
  expect(await codeOf(await client.sign(from, [message], fee, '', signerData({ chainId: 'osmosis-1' })))).toBe(4)
  expect(await codeOf(await client.sign(from, [message], fee, '', signerData({ accountNumber: 999 })))).toBe(4)
  const cheap = { amount: [{ denom: 'uosmo', amount: '1' }], gas: '200000' }
  expect(await codeOf(await client.sign(from, [message], cheap, ''))).toBe(13)
  expect(await codeOf(good)).toBe(0)
})
