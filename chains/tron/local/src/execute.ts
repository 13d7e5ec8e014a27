/** Executes one valid transaction, charges its cost, and writes its receipt. */
import { concat, type Hex, keccak256 } from 'viem'
import { type Charge, PRICES } from './rules.ts'
import { bufferIn, type LocalTransaction, numberIn, treesIn } from './transaction.ts'
import type { Outcome, Vm } from './vm.ts'

export interface Executed {
  transaction: LocalTransaction
  /** The result's name as written in blocks. */
  result: string
  fee: bigint
  energyFee: bigint
  charge: Charge
  outcome: Outcome | null
  /** The created contract in 42 digits; null if none was created. */
  created: string | null
  /** Accounts that the transaction created. */
  touched: string[]
}

const CREATION_ENERGY = 100_000_000n

export async function execute(vm: Vm, transaction: LocalTransaction, charge: Charge): Promise<Executed> {
  const owner = evmOf(transaction.owner)
  const flat = charge.netFee + charge.accountFee + charge.memoFee
  await vm.setBalance(owner, (await vm.balance(owner)) - flat)
  const plain = { transaction, result: 'SUCCESS', fee: flat, energyFee: 0n, charge, outcome: null, created: null }
  if (transaction.type === 'TransferAssetContract') return { ...plain, touched: [] }
  if (transaction.type === 'TransferContract') {
    const to = bufferIn(transaction.body, 'to_address').toString('hex')
    await vm.pay(owner, evmOf(to), numberIn(transaction.body, 'amount'))
    return { ...plain, touched: [to] }
  }
  if (transaction.type === 'CreateSmartContract') return createContract(vm, transaction, charge, flat)
  const to = evmOf(bufferIn(transaction.body, 'contract_address').toString('hex'))
  const value = numberIn(transaction.body, 'call_value')
  const limit = await energyLimit(vm, transaction, value)
  const data: Hex = `0x${bufferIn(transaction.body, 'data').toString('hex')}`
  const outcome = await vm.run(owner, to, data, value, limit)
  const isOut = outcome.isOutOfEnergy || outcome.energy > limit
  const energyFee = (isOut ? limit : outcome.energy) * PRICES.energy
  await vm.setBalance(owner, (await vm.balance(owner)) - energyFee)
  const result = isOut ? 'OUT_OF_ENERGY' : outcome.isSuccess ? 'SUCCESS' : 'REVERT'
  return { ...plain, result, fee: flat + energyFee, energyFee, outcome, touched: [] }
}

/** The energy limit of a call: the burnt amount is bounded by the fee limit and by the balance. */
async function energyLimit(vm: Vm, { owner, feeLimit }: LocalTransaction, value: bigint): Promise<bigint> {
  const left = (await vm.balance(evmOf(owner))) - value
  const most = left < feeLimit ? left : feeLimit
  return most > 0n ? most / PRICES.energy : 0n
}

/** Creates a contract. On Tron its address is derived from the transaction's id and its owner. */
async function createContract(vm: Vm, transaction: LocalTransaction, charge: Charge, flat: bigint): Promise<Executed> {
  const owner = evmOf(transaction.owner)
  const [made = {}] = treesIn(transaction.body, 'new_contract')
  const at = evmOf(`41${keccak256(concat([`0x${transaction.id}`, `0x${transaction.owner}`])).slice(-40)}`)
  const limit = await energyLimit(vm, transaction, 0n)
  const energy = await vm.create(at, owner, `0x${bufferIn(made, 'bytecode').toString('hex')}`, CREATION_ENERGY)
  const isOut = energy !== null && energy > limit
  if (isOut) await vm.setCode(at, '0x')
  const energyFee = (isOut || energy === null ? limit : energy) * PRICES.energy
  await vm.setBalance(owner, (await vm.balance(owner)) - energyFee)
  const result = isOut ? 'OUT_OF_ENERGY' : energy === null ? 'REVERT' : 'SUCCESS'
  const created = result === 'SUCCESS' ? `41${at.slice(2)}` : null
  return { transaction, result, fee: flat + energyFee, energyFee, charge, outcome: null, created, touched: [] }
}

function evmOf(address: string): Hex {
  return `0x${address.slice(2)}`
}
