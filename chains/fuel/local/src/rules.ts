/** Validation of a transaction before the pool accepts it, with a node's error messages; and its gas. */
import { type CoinIn, type Decoded, type MoneyOut, predicateAddress, recovered, SCRIPT_AT } from './codec.ts'
import { type Program, run } from './machine.ts'

export const LIMITS = { inputs: 255, outputs: 255, witnesses: 255, size: 112_640, gas: 30_000_000n }
/** Gas parameters of the public networks, except for the price, which tests change. */
export const GAS = { factor: 1_150_000n, perByte: 63n, base: 10n, unitsPerGas: 10n, recovery: 26_135n }
/** Memory in front of a transaction: its id, the base asset, and room for the balances of 255 inputs. */
const TX_AT = 32 + 32 + 255 * 40 + 8

export interface Coin {
  utxo: string
  owner: string
  amount: bigint
  asset: string
  height: number
  index: number
}

export interface World {
  baseAsset: string
  gasPrice: bigint
  /** The height of the block that would include the transaction. */
  next: bigint
  coins: ReadonlyMap<string, Coin>
  contracts: ReadonlyMap<string, Buffer>
}

export function coinsIn({ inputs }: Decoded): CoinIn[] {
  return inputs.filter((input) => input.kind === 'coin')
}

function moneyIn({ outputs }: Decoded): MoneyOut[] {
  return outputs.filter((output) => 'to' in output)
}

/** Throws if a node would reject it. */
export function check(transaction: Decoded, id: string, world: World): void {
  const { raw, inputs, outputs, witnesses, maxFee, maturity, expiration } = transaction
  const { baseAsset, next, coins, contracts } = world
  if (raw.length > LIMITS.size) throw new Error('TransactionSizeLimitExceeded')
  if (inputs.length > LIMITS.inputs) throw new Error('TransactionInputsMax')
  if (outputs.length > LIMITS.outputs) throw new Error('TransactionOutputsMax')
  if (witnesses.length > LIMITS.witnesses) throw new Error('TransactionWitnessesMax')
  if (maxFee === null) throw new Error('TransactionMaxFeeNotSet')
  if (maturity > next) throw new Error('TransactionMaturity')
  if (expiration !== null && expiration < next) throw new Error('TransactionExpiration')
  if (maxGas(transaction) > LIMITS.gas) throw new Error('TransactionMaxGasExceeded')
  const spent = coinsIn(transaction)
  if (spent.length === 0) throw new Error('NoSpendableInput')
  if (new Set(spent.map(({ utxo }) => utxo)).size < spent.length) throw new Error('DuplicateInputUtxoId')
  for (const input of spent) checkCoin(transaction, input, id, coins)
  for (const input of inputs) {
    if (input.kind === 'message') throw new Error('the local chain has no messages')
    if (input.kind === 'contract' && !contracts.has(input.contract)) {
      throw new Error(`Transaction input validation failed: InputContractDoesNotExist(${input.contract})`)
    }
  }
  checkOutputs(transaction, baseAsset)
  for (const [asset, amount] of freeBalances(transaction, baseAsset)) {
    if (amount < 0n)
      throw new Error(asset === baseAsset ? 'InsufficientFeeAmount' : `InsufficientInputAmount { asset: ${asset} }`)
  }
  const least = feeOf(maxGas(transaction), world.gasPrice) + transaction.tip
  if (maxFee < least)
    throw new Error(`InsufficientMaxFee { max_fee_from_policies: ${maxFee}, max_fee_from_gas_price: ${least} }`)
}

function checkCoin({ witnesses }: Decoded, input: CoinIn, id: string, coins: ReadonlyMap<string, Coin>): void {
  const coin = coins.get(input.utxo)
  if (!coin) throw new Error(`Transaction input validation failed: UTXO input does not exist: ${input.utxo}`)
  const isSame = coin.owner === input.owner && coin.amount === input.amount && coin.asset === input.asset
  if (!isSame) throw new Error(`Transaction input validation failed: CoinMismatch ${input.utxo}`)
  if (input.predicate.length > 0) {
    if (predicateAddress(input.predicate) !== input.owner) throw new Error('InputPredicateOwner')
    if (run(predicateProgram(input.predicate)).returned !== 1n) throw new Error('PredicateVerificationFailed')
    return
  }
  const witness = witnesses[input.witness]
  if (!witness) throw new Error('InputWitnessIndexBounds')
  if (recovered(witness, id) !== input.owner) throw new Error('Invalid transaction data: InputInvalidSignature')
}

function checkOutputs(transaction: Decoded, baseAsset: string): void {
  const known = new Set([baseAsset, ...coinsIn(transaction).map(({ asset }) => asset)])
  const changed = new Set<string>()
  for (const output of moneyIn(transaction)) {
    if (output.kind === 'coin' && !known.has(output.asset)) throw new Error('TransactionOutputCoinAssetIdNotFound')
    if (output.kind !== 'change') continue
    if (!known.has(output.asset)) throw new Error('TransactionOutputChangeAssetIdNotFound')
    if (changed.has(output.asset)) throw new Error('TransactionOutputChangeAssetIdDuplicated')
    changed.add(output.asset)
  }
}

/** The balance of each asset for the script: the inputs less the outputs and the maximum fee. */
function freeBalances(transaction: Decoded, baseAsset: string): Map<string, bigint> {
  const free = new Map([[baseAsset, -(transaction.maxFee ?? 0n)]])
  const add = (asset: string, amount: bigint) => void free.set(asset, (free.get(asset) ?? 0n) + amount)
  for (const { asset, amount } of coinsIn(transaction)) add(asset, amount)
  for (const { kind, asset, amount } of moneyIn(transaction)) if (kind === 'coin') add(asset, -amount)
  return free
}

/** The gas before the script has run. */
export function leastGas(transaction: Decoded): bigint {
  const { inputs, raw } = transaction
  const size = BigInt(raw.length)
  const light = GAS.base + size / GAS.unitsPerGas
  const signed = new Set(
    inputs.flatMap((input) => (input.kind === 'coin' && input.predicate.length === 0 ? [input.witness] : [])),
  )
  const byCode = BigInt(inputs.filter((input) => input.kind === 'coin' && input.predicate.length > 0).length)
  return light + size * GAS.perByte + BigInt(signed.size) * GAS.recovery + byCode * light + light
}

export function maxGas(transaction: Decoded): bigint {
  return leastGas(transaction) + transaction.gasLimit
}

export function feeOf(gas: bigint, price: bigint): bigint {
  return (gas * price + GAS.factor - 1n) / GAS.factor
}

const MEMORY_BYTES = 2 ** 18

export function programOf(transaction: Decoded, world: Pick<World, 'baseAsset' | 'contracts'>): Program {
  const { raw, script, gasLimit, inputs, outputs } = transaction
  const memory = Buffer.alloc(Math.max(MEMORY_BYTES, TX_AT + raw.length + 65_536))
  raw.copy(memory, TX_AT)
  const named = inputs.flatMap((input) => (input.kind === 'contract' ? [input.contract] : []))
  const variables = outputs.flatMap((output, place) => (output.kind === 'variable' ? [place] : []))
  return {
    ...{ code: script, start: TX_AT + SCRIPT_AT, memory, stack: TX_AT + raw.length, gasLimit },
    ...{ contracts: world.contracts, inputs: new Set(named), variables: new Set(variables) },
    balances: freeBalances(transaction, world.baseAsset),
  }
}

function predicateProgram(code: Buffer): Program {
  const memory = Buffer.alloc(MEMORY_BYTES)
  code.copy(memory, 0)
  return {
    ...{ code, start: 0, memory, stack: Math.ceil(code.length / 8) * 8, gasLimit: 1_000_000n },
    ...{ contracts: new Map(), inputs: new Set<string>(), variables: new Set<number>(), balances: new Map() },
  }
}
