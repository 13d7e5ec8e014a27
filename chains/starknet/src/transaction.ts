/** Transactions of version 3: the hashed and signed content, and the text that is sent to nodes and stored. */
import { asObject as fieldsOf } from '@causeway/chain-kit'
import { felt, hex, padded, shortString } from './felt.ts'
import { poseidon, selector } from './hashing.ts'

/** The maximum amount of a resource and its maximum price per unit. */
interface Bound {
  amount: bigint
  price: bigint
}

export interface Bounds {
  l1Gas: Bound
  l1DataGas: Bound
  l2Gas: Bound
}

export interface Invoke {
  sender: bigint
  calldata: readonly bigint[]
  nonce: bigint
  tip: bigint
  bounds: Bounds
}

export interface ContractCall {
  to: bigint
  entrypoint: string
  calldata: readonly bigint[]
}

/** The encoding of several calls since Cairo 1: their number, then contract, name, length and arguments of each. */
export function encodeCalls(calls: readonly ContractCall[]): bigint[] {
  return [
    BigInt(calls.length),
    ...calls.flatMap(({ to, entrypoint, calldata }) => [
      to,
      selector(entrypoint),
      BigInt(calldata.length),
      ...calldata,
    ]),
  ]
}

const VERSION = 3n
/** Both data availability modes are L1: nothing else is in use. */
const DATA_MODES = 0n
const NO_DATA = poseidon([])

export function invokeHash(chainId: bigint, invoke: Invoke): bigint {
  return poseidon([
    ...head('invoke', chainId, invoke),
    // No account is deployed with the transaction.
    NO_DATA,
    poseidon(invoke.calldata),
  ])
}

export interface DeployAccount extends Omit<Invoke, 'calldata'> {
  classHash: bigint
  salt: bigint
  constructorCalldata: readonly bigint[]
}

export function deployAccountHash(chainId: bigint, deploy: DeployAccount): bigint {
  const { constructorCalldata, classHash, salt } = deploy
  return poseidon([...head('deploy_account', chainId, deploy), poseidon(constructorCalldata), classHash, salt])
}

type Head = Pick<Invoke, 'sender' | 'nonce' | 'tip' | 'bounds'>

function head(name: string, chainId: bigint, { sender, nonce, tip, bounds }: Head): bigint[] {
  return [shortString(name), VERSION, sender, feeFields(tip, bounds), NO_DATA, chainId, nonce, DATA_MODES]
}

export function feeFields(tip: bigint, { l1Gas, l2Gas, l1DataGas }: Bounds): bigint {
  return poseidon([tip, packed('L1_GAS', l1Gas), packed('L2_GAS', l2Gas), packed('L1_DATA', l1DataGas)])
}

const AMOUNT_BITS = 64n
const PRICE_BITS = 128n

function packed(name: string, { amount, price }: Bound): bigint {
  if (amount < 0n || amount >> AMOUNT_BITS || price < 0n || price >> PRICE_BITS)
    throw new RangeError('a bound too large')
  return (((shortString(name) << AMOUNT_BITS) | amount) << PRICE_BITS) | price
}

/** The maximum cost: the chain requires this balance before execution. */
export function feeCeiling({ bounds: { l1Gas, l2Gas, l1DataGas }, tip }: Pick<Invoke, 'bounds' | 'tip'>): bigint {
  const [l1, data, l2] = [l1Gas, l1DataGas, l2Gas].map(({ amount, price }) => amount * price)
  return (l1 ?? 0n) + (data ?? 0n) + (l2 ?? 0n) + l2Gas.amount * tip
}

/** The JSON form that `starknet_addInvokeTransaction` and `starknet_simulateTransactions` accept. */
export function invokeJson(invoke: Invoke, signature: readonly bigint[]): Record<string, unknown> {
  return {
    type: 'INVOKE',
    version: '0x3',
    sender_address: padded(invoke.sender),
    calldata: invoke.calldata.map(hex),
    signature: signature.map(hex),
    nonce: hex(invoke.nonce),
    resource_bounds: boundsJson(invoke.bounds),
    tip: hex(invoke.tip),
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  }
}

function boundsJson({ l1Gas, l1DataGas, l2Gas }: Bounds): Record<string, unknown> {
  const one = ({ amount, price }: Bound) => ({ max_amount: hex(amount), max_price_per_unit: hex(price) })
  return { l1_gas: one(l1Gas), l1_data_gas: one(l1DataGas), l2_gas: one(l2Gas) }
}

export interface SignedInvoke extends Invoke {
  signature: bigint[]
}

/**
 * Decodes a transaction; null for every other type, and for one with more fields than ours, because its hash would
 * differ.
 */
export function readInvoke(raw: unknown): SignedInvoke | null {
  const fields = fieldsOf(raw)
  if (fields.type !== 'INVOKE' || fields.version !== '0x3' || !isPlain(fields)) return null
  return {
    ...readHead(fields),
    sender: felt(fields.sender_address),
    calldata: felts(fields.calldata),
    signature: felts(fields.signature),
  }
}

export interface SignedDeploy extends Omit<DeployAccount, 'sender'> {
  signature: bigint[]
}

export function readDeploy(raw: unknown): SignedDeploy | null {
  const fields = fieldsOf(raw)
  if (fields.type !== 'DEPLOY_ACCOUNT' || fields.version !== '0x3' || !isPlain(fields)) return null
  return {
    ...readHead(fields),
    classHash: felt(fields.class_hash),
    salt: felt(fields.contract_address_salt),
    constructorCalldata: felts(fields.constructor_calldata),
    signature: felts(fields.signature),
  }
}

function isPlain(fields: Record<string, unknown>): boolean {
  const lists = [fields.paymaster_data, fields.account_deployment_data, fields.proof_facts]
  const modes = [fields.nonce_data_availability_mode, fields.fee_data_availability_mode]
  return lists.every((list) => list === undefined || felts(list).length === 0) && modes.every((mode) => mode === 'L1')
}

function readHead(fields: Record<string, unknown>): Omit<Head, 'sender'> {
  const bounds = fieldsOf(fields.resource_bounds)
  const bound = (name: string): Bound => {
    const { max_amount, max_price_per_unit } = fieldsOf(bounds[name])
    return { amount: felt(max_amount), price: felt(max_price_per_unit) }
  }
  return {
    nonce: felt(fields.nonce),
    tip: felt(fields.tip),
    bounds: { l1Gas: bound('l1_gas'), l1DataGas: bound('l1_data_gas'), l2Gas: bound('l2_gas') },
  }
}

function felts(raw: unknown): bigint[] {
  if (!Array.isArray(raw)) throw new TypeError('a list was expected')
  return raw.map(felt)
}
