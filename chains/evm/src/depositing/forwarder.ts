/**
 * Deposit addresses: each is the future address of a small contract that a factory can deploy and that can only send to
 * the treasury. Factory and addresses follow from the treasury alone, so no node is asked to derive one.
 */
import { Forwarder, ForwarderFactory } from '@causeway/contracts'
import type { Address, SweepSource, Token } from '@causeway/core'
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

/** The well-known deployer at the same address on nearly every chain. */
export const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The event of a swept address: salt and token, then the amount. */
export const SWEPT_TOPIC = keccak256(toBytes('Swept(bytes32,address,uint256)'))

/** Prefix of the CREATE2 preimage on every chain of this family. */
const CREATE2_PREFIX = '0xff'

export function factoryAddress(treasury: Address): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: DEPLOYMENT_PROXY,
    salt: zeroHash,
    bytecode: factoryCode(treasury),
  })
}

/**
 * The transaction that deploys the factory. Anyone may send it; if it is already deployed, the call fails harmlessly.
 */
export function factoryDeployment(treasury: Address): { to: Address; data: Hex } {
  return { to: DEPLOYMENT_PROXY, data: concat([zeroHash, factoryCode(treasury)]) }
}

export function depositAddress(factory: Address, index: number, branch = 0): Address {
  return addressOfSalt(factory, saltOf({ index, branch }))
}

export function addressOfSalt(factory: Address, salt: Hex): Address {
  return getContractAddress({ opcode: 'CREATE2', from: getAddress(factory), salt, bytecode: Forwarder.bytecode })
}

export function encodeSweep(token: Token, sources: readonly SweepSource[]): Hex {
  const contract = token.contract === null ? zeroAddress : getAddress(token.contract)
  return encodeFunctionData({
    abi: ForwarderFactory.abi,
    functionName: 'sweep',
    args: [sources.map(saltOf), sources.map(() => contract)],
  })
}

function factoryCode(treasury: Address): Hex {
  const args = encodeAbiParameters([{ type: 'address' }, { type: 'bytes1' }], [getAddress(treasury), CREATE2_PREFIX])
  return concat([ForwarderFactory.bytecode, args])
}

/** The CREATE2 salt: sixteen bytes of the branch, then sixteen of the index. */
function saltOf({ index, branch = 0 }: Pick<SweepSource, 'index' | 'branch'>): Hex {
  return concat([numberToHex(branch, { size: 16 }), numberToHex(index, { size: 16 })])
}
