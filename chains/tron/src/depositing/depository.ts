/** Our contract that accepts token deposits and names the swap itself: the encoding of a deposit, and its event. */
import { type Address, type DepositAction, type DepositRequest, isReference } from '@causeway/core'
import { callTo, dataOf, hashOf, wordOf } from '../abi.ts'
import { addressInWord, hex20 } from '../address.ts'
import type { Log } from '../node/calls.ts'
import type { Settings } from '../settings.ts'

const DEPOSITED_TOPIC = hashOf('Deposited(bytes32,address,address,uint256)')

export interface Deposited {
  /** The swap's reference; null if the event's id is not a valid one. */
  reference: bigint | null
  token: Address
  receiver: Address
  units: bigint
}

/** Energy of the Depository itself: its checks, the allowance that it spends, and its event. */
const DEPOSIT_ENERGY = 60_000n

/** Suggested energy of a deposit. Like the gas limit on EVM it is an upper bound, not the cost. */
export function depositEnergy({ tokenEnergy, energyMarginPercent }: Settings): bigint {
  return ((tokenEnergy + DEPOSIT_ENERGY) * (100n + energyMarginPercent)) / 100n
}

/** Addresses among the arguments are written as on EVM; clients convert them to this chain's form. */
export function depositoryAction(
  contract: Address,
  request: DepositRequest,
  token: Address,
  energyLimit: bigint,
): DepositAction {
  const { units, receiver, reference } = request
  const id = wordOf(reference)
  const call = callTo(
    'depositERC20(bytes32,address,address,uint256)',
    ...[id, wordOf(token), wordOf(receiver), wordOf(units)],
  )
  return {
    type: 'transfer',
    toAddress: contract,
    units: 0n,
    callData: `0x${dataOf(call)}`,
    gasLimit: energyLimit,
    encodedArgs: [`0x${id}`, `0x${hex20(token)}`, `0x${hex20(receiver)}`, `0x${units.toString(16)}`],
  }
}

/** Decodes a deposit event; null if the log is not from one of our contracts. */
export function readDeposited(depositories: ReadonlySet<Address>, log: Log): Deposited | null {
  const [event, id, token, receiver, ...more] = log.topics
  if (event !== DEPOSITED_TOPIC || !depositories.has(addressInWord(log.address)) || log.data.length !== 64) return null
  if (!id || !token || !receiver || more.length > 0) return null
  const reference = BigInt(`0x${id}`)
  return {
    reference: isReference(reference) ? reference : null,
    token: addressInWord(token),
    receiver: addressInWord(receiver),
    units: BigInt(`0x${log.data}`),
  }
}
