/** The double works with the public client library, and both build the same transactions as our own code. */
import { TronWeb, utils } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hexOf } from './accounts.ts'
import { type Body, draw, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let client: TronWeb
beforeAll(async () => {
  bed = await startChain()
  client = new TronWeb({ fullHost: bed.url, privateKey: bed.user.secret })
})
afterAll(() => bed?.local.stop())

test('the client pays coins, and the chain shows them as it expects', async () => {
  const to = await bed.stranger('client')
  const sent = await client.trx.sendTransaction(to, 1_234_567)
  expect(sent.result).toBe(true)
  expect(await client.trx.getUnconfirmedBalance(to)).toBe(1_234_567)
  const found = await client.trx.getTransaction(sent.txid)
  expect(utils.transaction.txCheck(found)).toBe(true)
  const told = await client.trx.getUnconfirmedTransactionInfo(sent.txid)
  expect(told).toMatchObject({ id: sent.txid, fee: 1_100_000 })
})

test('a deposit that the client makes to the letter is sighted with its number', async () => {
  const { adapter, usdt, native, user, treasury } = bed
  for (const token of [native, usdt]) {
    const cursor = (await adapter.scan(null, { owned: async () => new Set() })).next
    const request = { token, units: 2_000_000n, receiver: treasury, reference: 7_000_000_123n, sourceAddress: null }
    const { toAddress, callData } = await adapter.depositAction(request)
    const options = { feeLimit: 100_000_000, callValue: 0, txLocal: true }
    const plain =
      token.contract === null
        ? await client.transactionBuilder.sendTrx(toAddress, 2_000_000)
        : (
            await client.transactionBuilder.triggerSmartContract(token.contract, 'transfer(address,uint256)', options, [
              { type: 'address', value: toAddress },
              { type: 'uint256', value: 2_000_000 },
            ])
          ).transaction
    const named = await client.transactionBuilder.addUpdateData(plain, callData ?? '', 'utf8', { txLocal: true })
    const sent = await client.trx.sendRawTransaction(await client.trx.sign(named))
    expect(sent.result).toBe(true)
    const { sightings } = await adapter.scan(cursor, { owned: async () => new Set([treasury]) })
    expect(sightings).toHaveLength(1)
    expect(sightings[0]).toMatchObject({
      ...{ txHash: named.txID, refundableSender: user.address, to: treasury, reference: 7_000_000_123n },
      amount: { units: 2_000_000n },
    })
  }
})

test('what we sign is, read by the client, exactly the order', async () => {
  const { adapter, treasury, stranger, native, usdt, mine } = bed
  const to = await stranger('read by others')
  for (const [token, type] of [[native, 'TransferContract'] as const, [usdt, 'TriggerSmartContract'] as const]) {
    const drawn = await draw(adapter, payment(treasury, to, token, 1_000_001n))
    const hex = drawn.signed.bytes
    // A tag, a length and the 65 bytes of the signature follow.
    const end = hex.length - 2 * (2 + 65)
    const raw = utils.deserializeTx.deserializeTransaction(type, hex.slice(6, end))
    const { value } = raw.contract[0].parameter
    expect(client.address.fromHex(value.owner_address)).toBe(treasury)
    if (type === 'TransferContract') {
      expect([client.address.fromHex(value.to_address), value.amount]).toEqual([to, 1_000_001])
    } else {
      expect(client.address.fromHex(value.contract_address)).toBe(token.contract)
      const words = `a9059cbb${client.address.toHex(to).slice(2).padStart(64, '0')}${(1_000_001).toString(16).padStart(64, '0')}`
      expect(value.data.toLowerCase()).toBe(words)
    }
    expect(raw.contract).toHaveLength(1)
    await adapter.broadcast(drawn.signed)
    await mine(1)
    expect((await statusOf(adapter, drawn)).state).toBe('included')
  }
})

test("the address's own key signs for it only while the account has not assigned other keys", async () => {
  const { user, other, url, open } = bed
  const text = 'Send the money of my swap back to this address.'
  const claim = { address: user.address, text, signature: await client.trx.signMessageV2(text, user.secret) }
  expect(await bed.adapter.messages?.verify(claim)).toBe(true)
  const [own, others] = [hexOf(user.address), hexOf(other.address)]
  const keptBy = async (threshold: number, ...keys: { address: string; weight: number }[]) => {
    const proxy = await startProxy(url, async (path, _, truth) => {
      const told = (await truth()) as Body
      return path === 'wallet/getaccount' ? { ...told, owner_permission: { threshold, keys } } : told
    })
    const adapter = await open({ nodes: [proxy.url] })
    return (await adapter.messages?.verify(claim).finally(proxy.stop)) ?? null
  }
  expect(await keptBy(1, { address: own, weight: 1 })).toBe(true)
  expect(await keptBy(1, { address: others, weight: 1 })).toBe(false)
  expect(await keptBy(2 ** 62, { address: own, weight: 2 ** 62 })).toBe(false)
  expect(await keptBy(2, { address: own, weight: 1 }, { address: others, weight: 1 })).toBe(false)
})
