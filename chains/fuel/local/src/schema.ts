/** The local chain behind fuel-core's GraphQL schema, as far as the public client library and this family use it. */

import { type Decoded, decodeScript, type In, type Out, transactionId, unhex } from './codec.ts'
import { assemble, coinsToSpend } from './funding.ts'
import type { Arguments, Resolved } from './graphql.ts'
import type { Block, Landed, Ledger } from './ledger.ts'
import { type Receipt, run } from './machine.ts'
import { type Coin, coinsIn, feeOf, GAS, LIMITS, leastGas, programOf } from './rules.ts'

const ZERO = `0x${'00'.repeat(32)}`

/** The query root for one state: of the newest block, or of an older one if a backend lags. */
export function rootAt(ledger: Ledger, height: number): Resolved {
  const { blocks } = ledger
  const top = blocks[height] ?? fail('no such block')
  const coins = () => ledger.coinsAt(height)
  const isSeen = (block: Block) => block.height <= height
  const found = (id: unknown) => {
    const one = ledger.find(String(id))
    return one && isSeen(one.block) ? one : null
  }
  const transaction = ({ id }: Arguments) => {
    const landed = found(id)
    if (landed) return drawLanded(landed.landed, landed.block)
    const waiting = ledger.pool.get(String(id))
    const status = { __typename: 'SubmittedStatus', time: String(top.time) }
    if (waiting) return drawTransaction(waiting.id, waiting.transaction.raw, waiting.transaction, status)
    const gone = ledger.squeezed.get(String(id))
    if (!gone) return null
    return drawTransaction(String(id), gone.raw, decodeScript(gone.raw), {
      ...{ __typename: 'SqueezedOutStatus', reason: gone.reason },
    })
  }
  return {
    __typename: 'Query',
    chain: {
      __typename: 'ChainInfo',
      ...{ name: 'local', daHeight: '0', latestBlock: drawBlock(top), consensusParameters: parametersOf(ledger) },
    },
    nodeInfo: {
      __typename: 'NodeInfo',
      ...{ utxoValidation: true, vmBacktrace: false, maxTx: '4064', maxDepth: '10', nodeVersion: '0.47.1' },
      indexation: { __typename: 'IndexationFlags', balances: true, coinsToSpend: true, assetMetadata: true },
    },
    block: ({ id, height: at }: Arguments) => {
      const block = id ? blocks.find((one) => one.id === id) : blocks[Number(at)]
      return block && isSeen(block) ? drawBlock(block) : null
    },
    // A height that does not exist yet is a valid cursor: nothing follows it.
    blocks: (args: Arguments) => {
      const { after, ...rest } = args
      const rows = blocks.slice(after ? Number(after) + 1 : 0, height + 1)
      return pageOf(rows, rest, (block) => String(block.height), drawBlock)
    },
    transaction,
    transactionsByOwner: (args: Arguments) => {
      if (args.last) fail("reverse pagination isn't supported for this resource")
      const all = blocks.slice(0, height + 1).flatMap((block) => {
        return block.transactions.map((landed, index) => ({ landed, block, index }))
      })
      const own = all.filter(({ landed }) => touches(landed, String(args.owner)))
      const cursorOf = ({ block, index }: (typeof own)[number]) => pointerOf(block.height, index)
      return pageOf(own, args, cursorOf, ({ landed, block }) => drawLanded(landed, block))
    },
    coin: ({ utxoId }: Arguments) => {
      const coin = coins().get(String(utxoId))
      return coin ? drawCoin(coin) : null
    },
    coins: (args: Arguments) => {
      const { owner, assetId } = args.filter as { owner: string; assetId?: string }
      const own = [...coins().values()].filter((coin) => coin.owner === owner && (!assetId || coin.asset === assetId))
      const sorted = own.toSorted((a, b) => (a.utxo < b.utxo ? -1 : 1))
      // A coin that was spent since is still a valid position in the order.
      const { after, ...rest } = args
      const rows = after ? sorted.filter(({ utxo }) => utxo > String(after)) : sorted
      return pageOf(rows, rest, (coin) => coin.utxo, drawCoin)
    },
    balance: ({ owner, assetId }: Arguments) => {
      const own = [...coins().values()].filter((coin) => coin.owner === owner && coin.asset === assetId)
      const amount = String(own.reduce((sum, coin) => sum + coin.amount, 0n))
      return { __typename: 'Balance', owner, assetId, amount, amountU128: amount }
    },
    // A local chain has no bridge, so it has no messages.
    messages: (args: Arguments) => pageOf([], args, String, (row) => row),
    contract: ({ id }: Arguments) => {
      const code = ledger.codes.get(String(id))
      return code ? { __typename: 'Contract', id, bytecode: `0x${code.toString('hex')}` } : null
    },
    blob: () => null,
    latestGasPrice: { __typename: 'LatestGasPrice', gasPrice: String(ledger.gasPrice()), blockHeight: String(height) },
    estimateGasPrice: { __typename: 'EstimateGasPrice', gasPrice: String(ledger.gasPrice()) },
    estimatePredicates: ({ tx }: Arguments) => {
      const decoded = decodeScript(unhex(String(tx)))
      return drawTransaction(ZERO, decoded.raw, decoded, null)
    },
    dryRun: ({ txs }: Arguments) => (txs as string[]).map((tx) => dryRun(ledger, decodeScript(unhex(tx)))),
    coinsToSpend: (args: Arguments) => coinsToSpend(ledger, args).map((some) => some.map(drawCoin)),
    assembleTx: (args: Arguments) => {
      const { decoded, ...rest } = assemble(ledger, args)
      return {
        ...{ __typename: 'AssembleTransactionResult', gasPrice: String(ledger.gasPrice()) },
        status: dryRun(ledger, decoded).status,
        transaction: { ...drawTransaction(ZERO, decoded.raw, decoded, null), ...rest },
      }
    },
    submit: ({ tx }: Arguments) => {
      const id = ledger.submit(unhex(String(tx)))
      return transaction({ id })
    },
  }
}

function dryRun(ledger: Ledger, decoded: Decoded): Resolved {
  const ran = run(programOf(decoded, ledger.world()))
  const gas = leastGas(decoded) + ran.gasUsed
  const receipts = ran.receipts.map(drawReceipt)
  const told = { totalGas: String(gas), totalFee: String(feeOf(gas, ledger.gasPrice())), receipts, programState: null }
  const isSuccess = ran.result === 'success'
  return {
    ...{ __typename: 'DryRunTransactionExecutionStatus', id: transactionId(decoded, BigInt(ledger.chainId)), receipts },
    status: isSuccess
      ? { __typename: 'DryRunSuccessStatus', ...told }
      : { __typename: 'DryRunFailureStatus', ...told, reason: ran.result },
  }
}

/** Pages forwards by `first` and `after`, or backwards by `last` and `before`; never all at once. */
function pageOf<T>(
  rows: readonly T[],
  args: Arguments,
  cursorOf: (row: T) => string,
  draw: (row: T) => Resolved,
): Resolved {
  const { first, last, after, before } = args
  if (!first && !last) fail('The queries for the whole range is not supported')
  const start = after ? rows.findIndex((row) => cursorOf(row) === after) + 1 : 0
  const end = before ? rows.findIndex((row) => cursorOf(row) === before) : rows.length
  if ((after && start === 0) || (before && end < 0)) fail('the cursor is not known')
  const part = rows.slice(start, end)
  const some = first ? part.slice(0, Number(first)) : part.slice(-Number(last))
  const [begin, finish] = [some[0], some.at(-1)]
  return {
    __typename: 'Connection',
    edges: some.map((row) => ({ __typename: 'Edge', cursor: cursorOf(row), node: draw(row) })),
    pageInfo: {
      __typename: 'PageInfo',
      hasNextPage: first ? part.length > some.length : Boolean(before),
      hasPreviousPage: first ? Boolean(after) : part.length > some.length,
      startCursor: begin === undefined ? null : cursorOf(begin),
      endCursor: finish === undefined ? null : cursorOf(finish),
    },
  }
}

function touches({ transaction, outputs }: Landed, owner: string): boolean {
  if (!transaction) return false
  const paid = outputs.some((output) => 'to' in output && output.to === owner && output.amount > 0n)
  return paid || coinsIn(transaction).some((coin) => coin.owner === owner)
}

function drawBlock(block: Block): Resolved {
  const { id, height, time, transactions, transactionsRoot, prevRoot, applicationHash } = block
  return {
    ...{ __typename: 'Block', id, height: String(height) },
    header: {
      ...{ __typename: 'Header', id, height: String(height), time: String(time), daHeight: '0', version: 'V1' },
      ...{ stateTransitionBytecodeVersion: '1', consensusParametersVersion: '1' },
      ...{ transactionsCount: String(transactions.length), messageReceiptCount: '0', transactionsRoot, prevRoot },
      ...{ applicationHash, messageOutboxRoot: ZERO, eventInboxRoot: ZERO },
    },
    transactions: () => transactions.map((landed) => drawLanded(landed, block)),
  }
}

function drawLanded(landed: Landed, block: Block): Resolved {
  const { id, raw, transaction, outputs, receipts, result, fee, gas } = landed
  const isSuccess = result === 'success'
  const status = {
    ...{ __typename: isSuccess ? 'SuccessStatus' : 'FailureStatus', time: String(block.time) },
    ...{ totalGas: String(gas), totalFee: String(fee), receipts: receipts.map(drawReceipt) },
    ...(isSuccess ? {} : { reason: result === 'revert' ? 'Revert(0)' : 'Panic' }),
    programState: isSuccess ? { __typename: 'ProgramState', returnType: 'RETURN', data: '0x01' } : null,
    block: () => drawBlock(block),
    transaction: () => drawTransaction(id, raw, transaction, null, outputs),
  }
  return drawTransaction(id, raw, transaction, status, outputs)
}

function drawTransaction(
  id: string,
  raw: Buffer,
  decoded: Decoded | null,
  status: Resolved | null,
  outputs: readonly Out[] = decoded?.outputs ?? [],
): Resolved {
  return {
    ...{ __typename: 'Transaction', id, rawPayload: `0x${raw.toString('hex')}`, status },
    receiptsRoot: decoded ? `0x${raw.subarray(16, 48).toString('hex')}` : null,
    inputs: decoded?.inputs.map(drawInput) ?? [],
    outputs: outputs.map(drawOutput),
    witnesses: decoded?.witnesses.map((witness) => `0x${witness.toString('hex')}`) ?? [],
    scriptGasLimit: String(decoded?.gasLimit ?? 0n),
    policies: decoded && {
      ...{ __typename: 'Policies', tip: String(decoded.tip), witnessLimit: null, maturity: String(decoded.maturity) },
      maxFee: decoded.maxFee === null ? null : String(decoded.maxFee),
    },
  }
}

function drawInput(input: In): Resolved {
  const txPointer = pointerOf(0, 0)
  if (input.kind === 'contract') {
    const roots = { balanceRoot: ZERO, stateRoot: ZERO }
    return { __typename: 'InputContract', utxoId: `${ZERO}0000`, ...roots, txPointer, contractId: input.contract }
  }
  if (input.kind === 'message') return fail('the local chain has no messages')
  const { utxo, owner, amount, asset, witness, predicate, predicateData } = input
  const code = { predicate: `0x${predicate.toString('hex')}`, predicateData: `0x${predicateData.toString('hex')}` }
  return {
    ...{ __typename: 'InputCoin', utxoId: utxo, owner, amount: String(amount), assetId: asset, txPointer },
    ...{ witnessIndex: witness, predicateGasUsed: '0', ...code },
  }
}

const MONEY = { coin: 'CoinOutput', change: 'ChangeOutput', variable: 'VariableOutput' }

function drawOutput(output: Out): Resolved {
  if ('to' in output) {
    const { kind, to, amount, asset } = output
    return { __typename: MONEY[kind], to, amount: String(amount), assetId: asset }
  }
  if (output.kind === 'created') return { __typename: 'ContractCreated', contract: ZERO, stateRoot: ZERO }
  return { __typename: 'ContractOutput', inputIndex: output.input, balanceRoot: ZERO, stateRoot: ZERO }
}

const RECEIPT_FIELDS = [
  ...['id', 'pc', 'is', 'to', 'toAddress', 'amount', 'assetId', 'gas', 'param1', 'param2', 'val', 'ptr', 'digest'],
  ...['reason', 'ra', 'rb', 'rc', 'rd', 'len', 'receiptType', 'gasUsed', 'data', 'sender', 'recipient', 'nonce'],
  ...['contractId', 'subId', 'result'],
]

function drawReceipt(receipt: Receipt): Resolved {
  const fields = RECEIPT_FIELDS.map((name) => [name, receipt[name] ?? null])
  return { __typename: 'Receipt', ...Object.fromEntries(fields) }
}

function drawCoin({ utxo, owner, amount, asset, height, index }: Coin): Resolved {
  return {
    ...{ __typename: 'Coin', utxoId: utxo, owner, amount: String(amount), assetId: asset },
    ...{ blockCreated: String(height), txCreatedIdx: String(index) },
  }
}

function pointerOf(height: number, index: number): string {
  return height.toString(16).padStart(8, '0') + index.toString(16).padStart(4, '0')
}

function parametersOf({ baseAsset, chainId }: Ledger): Resolved {
  const light = { __typename: 'LightOperation', base: String(GAS.base), unitsPerGas: String(GAS.unitsPerGas) }
  const version = 'V1'
  return {
    ...{ __typename: 'ConsensusParameters', version, baseAssetId: baseAsset, chainId },
    txParams: {
      ...{ __typename: 'TxParameters', version, maxInputs: String(LIMITS.inputs), maxOutputs: String(LIMITS.outputs) },
      ...{ maxWitnesses: String(LIMITS.witnesses), maxGasPerTx: String(LIMITS.gas), maxSize: String(LIMITS.size) },
      maxBytecodeSubsections: '256',
    },
    predicateParams: {
      ...{ __typename: 'PredicateParameters', version, maxPredicateLength: '24576', maxPredicateDataLength: '24576' },
      ...{ maxGasPerPredicate: '30000000', maxMessageDataLength: '102400' },
    },
    scriptParams: {
      ...{ __typename: 'ScriptParameters', version, maxScriptLength: '1048576', maxScriptDataLength: '1048576' },
    },
    contractParams: { __typename: 'ContractParameters', version, contractMaxSize: '102400', maxStorageSlots: '1760' },
    feeParams: {
      ...{ __typename: 'FeeParameters', version },
      ...{ gasPriceFactor: String(GAS.factor), gasPerByte: String(GAS.perByte) },
    },
    gasCosts: {
      ...{ __typename: 'GasCosts', contractRoot: light, stateRoot: light, vmInitialization: light, s256: light },
      ...{ ecr1: String(GAS.recovery), newStoragePerByte: '63' },
    },
  }
}

function fail(message: string): never {
  throw new Error(message)
}
