/**
 * Our deposit contracts: their addresses, the encoding of a deposit, and their events. Addresses follow from owner,
 * treasury and bytecode alone (CREATE2), so no node is asked for them.
 */
import { Depository, Paymaster } from '@causeway/contracts'
import { type Address, type DepositAction, type DepositRequest, isReference } from '@causeway/core'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  toBytes,
  zeroAddress,
  zeroHash,
} from 'viem'
import { fromTopic } from '../address.ts'
import type { Log } from '../node/calls.ts'
import type { Settings } from '../settings.ts'
import { DEPLOYMENT_PROXY } from './forwarder.ts'

export interface Contracts {
  depository: Address
  paymaster: Address
  owner: Address
  /**
   * Every Depository whose events are accepted and every Paymaster in front of one, in lower case as nodes write them.
   */
  depositories: ReadonlySet<string>
  paymasters: ReadonlySet<string>
}

export const DEPOSITED_TOPIC = keccak256(toBytes('Deposited(bytes32,address,address,uint256)'))
const RELAYED_TOPIC = keccak256(toBytes('Relayed(bytes32,address,address,uint256)'))

export function contractsOf(treasury: Address, settings: Settings): Contracts {
  const owner = settings.depositoryOwner ?? treasury
  const depository = settings.depository ?? depositoryAddress(owner, treasury)
  const all = [depository, ...settings.oldDepositories]
  return {
    depository,
    paymaster: paymasterAddress(treasury, depository),
    owner,
    depositories: new Set(all.map((address) => address.toLowerCase())),
    paymasters: new Set(all.map((address) => paymasterAddress(treasury, address).toLowerCase())),
  }
}

export function depositoryAddress(owner: Address, treasury: Address): Address {
  return create2(depositoryCode(owner, treasury))
}

/** The transaction that deploys it. Anyone may send it; if it is already deployed, the call fails harmlessly. */
export function depositoryDeployment(owner: Address, treasury: Address): { to: Address; data: Hex } {
  return { to: DEPLOYMENT_PROXY, data: concat([zeroHash, depositoryCode(owner, treasury)]) }
}

export function paymasterAddress(relayer: Address, depository: Address): Address {
  return create2(paymasterCode(relayer, depository))
}

export function paymasterDeployment(relayer: Address, depository: Address): { to: Address; data: Hex } {
  return { to: DEPLOYMENT_PROXY, data: concat([zeroHash, paymasterCode(relayer, depository)]) }
}

/** The swap's reference in the form that the contracts use. */
export function idOf(reference: bigint): Hex {
  return numberToHex(reference, { size: 32 })
}

export function depositoryAction(contract: Address, request: DepositRequest, gasLimit: bigint): DepositAction {
  const { token, units } = request
  const id = idOf(request.reference)
  const receiver = getAddress(request.receiver)
  const rest = { type: 'transfer', toAddress: contract, gasLimit } as const
  if (token.contract === null) {
    const callData = encodeFunctionData({ abi: Depository.abi, functionName: 'depositNative', args: [id, receiver] })
    return { ...rest, units, callData, encodedArgs: [id, receiver] }
  }
  const args = [id, getAddress(token.contract), receiver, units] as const
  return {
    ...rest,
    units: 0n,
    callData: encodeFunctionData({ abi: Depository.abi, functionName: 'depositERC20', args }),
    encodedArgs: [id, args[1], receiver, numberToHex(units)],
  }
}

export interface Deposited {
  /** The swap's reference; null if the event's id is not a valid one. */
  reference: bigint | null
  /** The token's address; the zero address for the native coin. */
  token: Address
  receiver: Address
  units: bigint
}

/** Decodes a deposit event; null if the log is not from one of our contracts. */
export function readDeposited({ depositories }: Contracts, log: Log): Deposited | null {
  const [event, id, token, receiver, ...more] = log.topics
  if (!depositories.has(log.address) || event !== DEPOSITED_TOPIC || log.data.length !== 66) return null
  if (!id || !token || !receiver || more.length > 0) return null
  const reference = BigInt(id)
  return {
    reference: isReference(reference) ? reference : null,
    token: fromTopic(token),
    receiver: fromTopic(receiver),
    units: BigInt(log.data),
  }
}

export function isNative({ token }: Deposited): boolean {
  return token === zeroAddress
}

/** The owner of the money that one of our Paymasters deposited, if this log belongs to that deposit. */
export function relayedOwner({ paymasters }: Contracts, log: Log, { reference, token }: Deposited): Address | null {
  const [event, id, of, owner] = log.topics
  if (!paymasters.has(log.address) || event !== RELAYED_TOPIC || !id || !of || !owner) return null
  return BigInt(id) === reference && fromTopic(of) === token ? fromTopic(owner) : null
}

function create2(bytecode: Hex): Address {
  return getContractAddress({ opcode: 'CREATE2', from: DEPLOYMENT_PROXY, salt: zeroHash, bytecode })
}

function depositoryCode(owner: Address, treasury: Address): Hex {
  const args = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address[]' }],
    [getAddress(owner), [getAddress(treasury)]],
  )
  return concat([Depository.bytecode, args])
}

function paymasterCode(relayer: Address, depository: Address): Hex {
  const args = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }],
    [getAddress(relayer), getAddress(depository)],
  )
  return concat([Paymaster.bytecode, args])
}
