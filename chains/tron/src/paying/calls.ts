/** Our own contract calls instead of transfers: creating our contracts, and owner functions of the Depository. */
import { Depository, ForwarderFactory } from '@causeway/contracts'
import { type Address, Bug, type PreparedCall } from '@causeway/core'
import { type ContractCall, dataOf, wordOf } from '../abi.ts'
import type { Settings } from '../settings.ts'
import type { Contract } from '../transaction.ts'

export type Worded = { make: 'factory' | 'depository' } | ({ to: Address } & ContractCall)

export interface Maker {
  treasury: Address
  settings: Settings
}

export function formatCall(worded: Worded): PreparedCall {
  return JSON.stringify(worded)
}

/** Decodes a prepared call. None of the possible calls can move the treasury's money. */
export function readCall({ settings }: Maker, call: PreparedCall): Worded {
  const { make, to, signature, parameter }: Record<string, unknown> = JSON.parse(call)
  if (make === 'factory' || make === 'depository') return { make }
  const own = [settings.depository, ...settings.oldDepositories].find((address) => address !== null && address === to)
  const isCall = typeof signature === 'string' && typeof parameter === 'string' && /^(?:[0-9a-f]{64})*$/.test(parameter)
  if (!own || !isCall) throw new Bug('a call to a contract that is not ours', { to })
  return { to: own, signature, parameter }
}

export function callContract(maker: Maker, call: PreparedCall): Contract {
  const { treasury: owner } = maker
  const worded = readCall(maker, call)
  if ('make' in worded) return { kind: 'create', owner, ...creationOf(maker, worded.make) }
  return { kind: 'call', owner, contract: worded.to, value: 0n, data: dataOf(worded) }
}

/** All contracts that we ever deploy, with the arguments after the code. */
export function creationOf({ treasury, settings }: Maker, make: 'factory' | 'depository') {
  if (make === 'factory') {
    // The constructor's arguments: the receiver, and this chain's CREATE2 prefix.
    const prefix = '41'.padEnd(64, '0')
    return { name: 'ForwarderFactory', bytecode: ForwarderFactory.bytecode.slice(2) + wordOf(treasury) + prefix }
  }
  const owner = wordOf(settings.depositoryOwner ?? treasury)
  // The constructor's arguments: owner, offset of the array, and the array of one receiver.
  const receivers = [wordOf(64n), wordOf(1n), wordOf(treasury)].join('')
  return { name: 'Depository', bytecode: Depository.bytecode.slice(2) + owner + receivers }
}
