/**
 * Smart accounts may show any public key in a transaction, including ours, next to their own sequence. Such a foreign
 * transaction is not ours: it neither invalidates a payout nor is a movement of the wallet.
 */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { treasuryKey } from '../../src/paying/treasury.ts'
import { parseSettings } from '../../src/settings.ts'
import { authBytes, bodyBytes, digestOf, hashOf, rawBytes } from '../../src/transaction.ts'
import { addressOn } from './accounts.ts'
import { sendOf } from './foreign-messages.ts'
import { type Drawn, draw, force, payment, person, startChain, startProxy, type TestChain } from './testbed.ts'

let chain: TestChain
const mallory = person(1)
const settings = () => parseSettings(chain.network)
const from = () => addressOn(chain.network, mallory)
const sent = ({ signed, slot }: Drawn) => ({ hash: signed.hash, slot, account: chain.treasury })
const order = (units: bigint) =>
  payment(chain.treasury, addressOn(chain.network, person(2)), chain.network.nativeToken, units)

beforeAll(async () => {
  chain = await startChain()
  await chain.set({ halted: true, authenticators: [from()] })
})
afterAll(() => chain.local.stop())

/** A foreign transaction with its own sequence that shows our public key. */
async function impostor(sequence: bigint): Promise<Uint8Array> {
  const publicKey = await chain.signer.publicKey(treasuryKey(settings()))
  const unsigned = {
    ...{ messages: [sendOf(from(), chain.treasury, { denom: 'uosmo', units: 1n })], memo: '', timeoutHeight: 0n },
    ...{ signers: [{ publicKey, sequence }], fee: { denom: 'uosmo', units: 50_000n }, gas: 400_000n, payer: null },
  }
  const [body, auth] = [bodyBytes(unsigned), authBytes(unsigned, settings().pubkeyType)]
  return rawBytes(body, auth, [mallory.sign(digestOf(body, auth, settings(), 1n))])
}

/** In one block, or in two with the foreign one first; at final depth. */
async function landBoth(sequence: bigint, isOneBlock: boolean) {
  const drawn = await draw(chain.adapter, order(1_000n + sequence))
  expect(drawn.slot).toEqual([`${chain.treasury}/${sequence}`])
  const raw = await impostor(sequence)
  await force(chain.node, raw)
  if (!isOneBlock) await chain.mine()
  await force(chain.node, Buffer.from(drawn.signed.bytes, 'base64'))
  await chain.mine(5)
  return { drawn, foreign: hashOf(raw) }
}

it('a payout in one block with a foreign transaction that shows our key and sequence is made, not dead', async () => {
  const { adapter, treasury } = chain
  const { drawn, foreign } = await landBoth(0n, true)
  const status = await adapter.status(sent(drawn), nothingSigned)
  expect(status).toMatchObject({ state: 'included', feeUnits: drawn.signed.feeCeiling })
  const block = 'block' in status ? status.block.number : 0n
  const moved = (await adapter.audit?.movements(treasury, block, block)) ?? []
  expect(moved.map(({ txHash, slot }) => [txHash, slot])).toEqual([
    [foreign, null],
    [drawn.signed.hash, drawn.slot],
  ])
})

it('nor is it dead if a node claims that the foreign one used our sequence: the signature is not ours', async () => {
  const { url, treasury } = chain
  const { drawn, foreign } = await landBoth(1n, false)
  let height = ''
  const [own, his] = [`${treasury}/1`, `${from()}/1`]
  const liar = await startProxy(url, ({ method, params }, answer) => {
    if (method === 'tx') return { error: { code: -32603, message: 'Internal error', data: 'not found' } }
    if (method === 'tx_search') return { result: { txs: [{ height }], total_count: '1' } }
    if (method === 'block_results' && params.height === height)
      return JSON.parse(JSON.stringify(answer).replaceAll(his, own))
    return answer
  })
  onTestFinished(liar.stop)
  const found = await chain.adapter.inspect(foreign, { owned: async () => new Set() })
  height = found.state === 'included' ? found.block.number.toString() : ''
  expect(height).not.toBe('')
  const adapter = await chain.open({ nodes: [liar.url] })
  expect((await adapter.status(sent(drawn), nothingSigned)).state).not.toBe('dead')
  expect(await chain.adapter.status(sent(drawn), nothingSigned)).toMatchObject({ state: 'included' })
})

it('a rival that we signed ourselves still counts, next to a foreign one', async () => {
  const { adapter } = chain
  const lost = await draw(adapter, order(5n))
  const { drawn } = await landBoth(2n, true)
  expect(await adapter.status(sent(lost), nothingSigned)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: drawn.signed.hash },
  })
})
