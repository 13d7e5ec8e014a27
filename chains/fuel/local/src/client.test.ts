/**
 * The family's public client library, unmodified, on the local chain: the chain accepts what it sends and it shows what
 * we report.
 */
import { Interface } from '@fuel-ts/abi-coder'
import {
  BlobTransactionRequest,
  CreateTransactionRequest,
  coinQuantityfy,
  Provider,
  ScriptTransactionRequest,
  type TransactionRequestLike,
  UpgradeTransactionRequest,
  UploadTransactionRequest,
  Wallet,
} from '@fuel-ts/account'
import { InputType, OutputType, PolicyType, TransactionCoder, TransactionType } from '@fuel-ts/transactions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hexOf } from '../../src/bytes.ts'
import { WATCH_SCRIPT, watchData } from '../../src/depositing/script.ts'
import { idOf } from '../../src/encode.ts'
import { coinInputs, parseTransaction } from '../../src/transaction.ts'
import { draw, endow, type Lab, type Opened, openLab, payment, seen, statusOf } from './testbed.ts'
import { WATCHDOG_ID } from './watchdog.ts'

let lab: Lab
let opened: Opened
let provider: Provider
let base: string
/** The library waits for blocks, which only this timer makes here. */
let blocks: NodeJS.Timeout
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('client')
  base = lab.place.baseAsset
  await endow(lab, opened.adapter)
  provider = new Provider(lab.url, { resourceCacheTTL: -1 })
  blocks = setInterval(() => void lab.mine().catch(() => undefined), 100)
})
afterAll(async () => {
  clearInterval(blocks)
  await lab.devnet.stop()
})

/** The library was written when nodes allowed more fields to be left out. */
const like = (request: ScriptTransactionRequest) => request as unknown as TransactionRequestLike

const walletOf = (secret: string) => Wallet.fromPrivateKey(secret, provider)

describe('a wallet of the library', () => {
  it('derives the same address as we do, and knows the chain', async () => {
    expect(walletOf(lab.sender.secret).address.toB256()).toBe(lab.sender.address)
    expect(await provider.getChainId()).toBe(0)
    expect(await provider.getBaseAssetId()).toBe(base)
  })

  it('sends coins of both kinds, and we sight them', async () => {
    const wallet = walletOf(lab.sender.secret)
    const usdc = lab.usdc.contract ?? ''
    const sightings = await seen(opened.adapter, async () => {
      for (const asset of [base, usdc]) {
        const response = await wallet.transfer(opened.adapter.treasury, 250_000, asset)
        expect((await response.waitForResult()).isStatusSuccess).toBe(true)
      }
    })
    expect(
      sightings.map(({ amount, refundableSender: from, reference }) => [
        amount.token.symbol,
        amount.units,
        from,
        reference,
      ]),
    ).toEqual([
      ['ETH', 250_000n, lab.sender.address, null],
      ['USDC', 250_000n, lab.sender.address, null],
    ])
  })

  it("is rejected with another key's signature", async () => {
    const [wallet, thief] = [walletOf(lab.sender.secret), walletOf(lab.other.secret)]
    const request = await wallet.createTransfer(lab.other.address, 5, base)
    request.updateWitnessByOwner(wallet.address, await thief.signTransaction(like(request)))
    const sent = provider.sendTransaction(like(request), { estimateTxDependencies: false })
    await expect(sent).rejects.toThrow('InputInvalidSignature')
  })
})

describe('call data', () => {
  const asked = (token: Lab['native'], units: bigint, reference: bigint) => ({
    ...{ token, units, reference, receiver: opened.adapter.treasury, sourceAddress: lab.other.address },
  })

  it('holds a request of the library, field by field, and what is to be funded', async () => {
    const { callData, ...rest } = await opened.adapter.depositAction(asked(lab.usdc, 777_000n, 7_000_000_001n))
    expect(rest).toEqual({
      ...{ type: 'transfer', toAddress: opened.adapter.treasury, units: 777_000n, gasLimit: null, encodedArgs: null },
    })
    const { script, quantities } = JSON.parse(callData ?? '')
    expect(quantities).toEqual([
      { amount: '777000', assetId: lab.usdc.contract },
      { amount: '10000', assetId: base },
    ])
    expect(script).toEqual({
      ...{ type: 0, gasLimit: '0x0', maxFee: '0x0', witnesses: [] },
      script: hexOf(WATCH_SCRIPT),
      scriptData: hexOf(watchData(WATCHDOG_ID, 7_000_000_001n, base)),
      inputs: [{ type: 1, contractId: WATCHDOG_ID, txPointer: `0x${'00'.repeat(16)}` }],
      outputs: [
        { type: 1, inputIndex: 0 },
        { type: 0, to: opened.adapter.treasury, amount: '0xbdb28', assetId: lab.usdc.contract },
      ],
    })
    const read = ScriptTransactionRequest.from(script)
    const again = ScriptTransactionRequest.from(JSON.parse(JSON.stringify(read.toJSON())))
    expect(again.getTransactionId(0)).toBe(read.getTransactionId(0))
    expect(read.getContractInputs().map(({ contractId }) => contractId)).toEqual([WATCHDOG_ID])
    expect(read.getCoinOutputs().map(({ to, amount, assetId }) => [to, BigInt(String(amount)), assetId])).toEqual([
      [opened.adapter.treasury, 777_000n, lab.usdc.contract],
    ])
  })

  it('of the native token funds amount and fee in one', async () => {
    const { callData } = await opened.adapter.depositAction(asked(lab.native, 5_000n, 1n))
    expect(JSON.parse(callData ?? '').quantities).toEqual([{ amount: '15000', assetId: base }])
  })

  it('calls what the library’s own reading of the watchdog’s interface calls', () => {
    const u64 = 'u64'
    const watchdog = new Interface({
      ...{ programType: 'contract', specVersion: '1', encodingVersion: '1', messagesTypes: [], loggedTypes: [] },
      ...{ configurables: [], metadataTypes: [] },
      concreteTypes: [
        { type: u64, concreteTypeId: '1506e6f44c1d6291cdf46395a8e573276a4fa79e8ace3fc891e092ef32d1b0a0' },
        { type: '()', concreteTypeId: '2e38e77b22c314a449e91fafed92a43826ac6aa403ae6a8acb6cf58239fbaf5d' },
      ],
      functions: [
        {
          ...{ name: 'watch', attributes: null },
          inputs: [
            { name: 'number', concreteTypeId: '1506e6f44c1d6291cdf46395a8e573276a4fa79e8ace3fc891e092ef32d1b0a0' },
          ],
          output: '2e38e77b22c314a449e91fafed92a43826ac6aa403ae6a8acb6cf58239fbaf5d',
        },
      ],
    })
    const data = watchData(WATCHDOG_ID, 7_000_000_001n, base)
    const watch = watchdog.getFunction('watch')
    expect(hexOf(data.subarray(32, 45))).toBe(hexOf(watch.selectorBytes))
    expect(hexOf(data.subarray(48, 56))).toBe(hexOf(watch.encodeArguments(['7000000001'])))
  })

  it.each(['ETH', 'USDC'])(
    'is funded and sent by the library’s wallets, and we read its number: %s',
    async (symbol) => {
      const token = symbol === 'ETH' ? lab.native : lab.usdc
      const wallet = walletOf(lab.other.secret)
      const deposits = [
        // As wallets do it now, and as older ones did.
        async (request: ScriptTransactionRequest, quantities: { amount: string; assetId: string }[]) => {
          const accountCoinQuantities = quantities.map((one) => ({ ...one, account: wallet }))
          await provider.assembleTx({ request, feePayerAccount: wallet, accountCoinQuantities })
        },
        async (request: ScriptTransactionRequest, quantities: { amount: string; assetId: string }[]) => {
          const cost = await wallet.getTransactionCost(like(request), { quantities: quantities.map(coinQuantityfy) })
          request.gasLimit = cost.gasUsed
          request.maxFee = cost.maxFee
          await wallet.fund(request, cost)
        },
      ]
      for (const [place, fund] of deposits.entries()) {
        const reference = 7_000_000_100n + BigInt(place)
        const units = 4_000n + BigInt(place)
        const sightings = await seen(opened.adapter, async () => {
          const { callData } = await opened.adapter.depositAction(asked(token, units, reference))
          const { script, quantities } = JSON.parse(callData ?? '')
          const request = ScriptTransactionRequest.from(script)
          await fund(request, quantities)
          const response = await wallet.sendTransaction(like(request), { estimateTxDependencies: false })
          expect((await response.waitForResult()).isStatusSuccess).toBe(true)
        })
        expect(sightings).toMatchObject([{ reference, refundableSender: lab.other.address, amount: { token, units } }])
      }
    },
  )
})

describe('every kind of transaction', () => {
  const coin = {
    id: `0x${'ab'.repeat(32)}0003`,
    owner: `0x${'cd'.repeat(32)}`,
    amount: 70_000,
    assetId: `0x${'ef'.repeat(32)}`,
  }
  const code = '0x24040000'
  const root = `0x${'12'.repeat(32)}`

  it.each([
    [
      'script',
      () => new ScriptTransactionRequest({ script: code, scriptData: '0x0102', gasLimit: 7, maxFee: 9, tip: 3 }),
    ],
    [
      'create',
      () =>
        new CreateTransactionRequest({
          ...{ bytecodeWitnessIndex: 0, salt: root, maxFee: 9 },
          storageSlots: [{ key: root, value: root }],
        }),
    ],
    ['blob', () => new BlobTransactionRequest({ blobId: root, witnessIndex: 1, maxFee: 9 })],
    [
      'upload',
      () => {
        const subsection = { root, subsectionIndex: 1, subsectionsNumber: 2, proofSet: [root, coin.owner] }
        return new UploadTransactionRequest({ witnessIndex: 0, subsection, maxFee: 9 })
      },
    ],
    [
      'upgrade of parameters',
      () => new UpgradeTransactionRequest({ maxFee: 9 }).addConsensusParametersUpgradePurpose('0x1234'),
    ],
    [
      'upgrade of the machine',
      () => new UpgradeTransactionRequest({ maxFee: 9 }).addStateTransitionUpgradePurpose(root),
    ],
  ])('has the id and the coins that the library sees in it: %s', (_kind, make) => {
    const request = make()
    const place = { type: InputType.Coin as const, txPointer: `0x${'00'.repeat(16)}`, witnessIndex: 0 }
    request.inputs.push({ ...coin, ...place, predicate: '0x0102030405', predicateData: '0x09' })
    request.outputs.push({ type: OutputType.Coin, to: root, amount: 5, assetId: coin.assetId })
    request.outputs.push({ type: OutputType.Change, to: coin.owner, assetId: coin.assetId })
    request.witnesses.push('0x0405')
    const transaction = parseTransaction(hexOf(request.toTransactionBytes()))
    if (!transaction) throw new Error('it is a transaction')
    expect(idOf(transaction, 9_889n)).toBe(request.getTransactionId(9_889))
    expect(coinInputs(transaction)).toMatchObject([
      { index: 3, owner: coin.owner, units: 70_000n, asset: coin.assetId },
    ])
    expect(transaction.outputs.slice(-2)).toEqual([
      { type: 'coin', to: root, units: 5n, asset: coin.assetId },
      { type: 'change', to: coin.owner, units: 0n, asset: coin.assetId },
    ])
  })
})

describe('what we sign', () => {
  it('is, by the library’s own decoder, exactly the order: coins, payments, change and expiry', async () => {
    const { adapter } = opened
    const [one, two] = [await lab.stranger('one'), await lab.stranger('two')]
    const usdc = lab.usdc.contract ?? ''
    const order = payment(adapter, [one, lab.native, 5_000n], [two, lab.usdc, 6_000n])
    const { slot, signed } = await draw(adapter, order)
    const [transaction] = new TransactionCoder().decode(Buffer.from(signed.bytes.slice(2), 'hex'), 0)
    if (!('scriptGasLimit' in transaction)) throw new Error('it is a script')
    const { inputs = [], outputs = [], policies = [], witnesses, script } = transaction
    expect(script).toBe('0x24000000')
    const coins = inputs.map((input) =>
      input.type === InputType.Coin ? `${input.txID}:${input.outputIndex}` : 'other',
    )
    const until = slot.at(-1)?.split(':')[1]
    expect([...coins, `until:${until}:${coins[0]}`]).toEqual(slot)
    const paid = outputs.flatMap((output) =>
      output.type === OutputType.Coin && output.to !== adapter.treasury
        ? [[output.to, output.amount.toString(), output.assetId]]
        : [],
    )
    expect(paid).toEqual([
      [one, '5000', base],
      [two, '6000', usdc],
    ])
    const rests = outputs.flatMap((output) => (output.type === OutputType.Change ? [[output.to, output.assetId]] : []))
    expect(rests.toSorted()).toEqual([
      [adapter.treasury, usdc],
      [adapter.treasury, base],
    ])
    expect(outputs).toHaveLength(paid.length + rests.length)
    const policy = (type: PolicyType) => policies.find((each) => each.type === type)?.data.toString()
    expect(policy(PolicyType.MaxFee)).toBe(String(signed.feeCeiling))
    expect(policy(PolicyType.Expiration)).toBe(until)
    expect(witnesses).toHaveLength(1)
    const request = await provider.getTransaction(signed.hash).catch(() => null)
    expect(request, 'nobody has sent it').toBeNull()
  })

  it('is found by the library in its block, under the id that we signed, at the fee that we book', async () => {
    const { adapter } = opened
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('found'), lab.usdc, 1_234n]))
    await adapter.broadcast(attempt.signed)
    await expect.poll(async () => (await statusOf(adapter, attempt)).state, { timeout: 10_000 }).toBe('included')
    const status = await statusOf(adapter, attempt)
    const response = await provider.getTransactionResponse(attempt.signed.hash)
    const summary = await response.getTransactionSummary()
    expect(summary.id).toBe(attempt.signed.hash)
    expect(summary.isStatusSuccess).toBe(true)
    expect(status).toMatchObject({ feeUnits: BigInt(summary.fee.toString()) })
    const block = await provider.getBlockWithTransactions(status.state === 'included' ? Number(status.block.number) : 0)
    expect(block?.transactionIds).toContain(attempt.signed.hash)
    expect(block?.transactions.map(({ type }) => type)).toEqual([TransactionType.Script, TransactionType.Mint])
    const { transactions } = await provider.operations
      .getTransactionsByOwner({ owner: adapter.treasury, first: 50 })
      .then(({ transactionsByOwner }) => ({ transactions: transactionsByOwner.edges.map(({ node }) => node.id) }))
    expect(transactions).toContain(attempt.signed.hash)
  })
})
