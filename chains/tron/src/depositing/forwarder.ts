/**
 * Deposit addresses: each is the future address of a small contract that a factory can deploy and that can only send to
 * the treasury. The factory's own address follows from the transaction that created it, so the network's file names it.
 */
import { Forwarder } from '@causeway/contracts'
import type { Address, SweepSource, Token } from '@causeway/core'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type ContractCall, callTo, hashOf, listOf, wordOf } from '../abi.ts'
import { addressInWord, bytesOf, NATIVE_ADDRESS } from '../address.ts'
import { bytesToHex, concatBytes, hexToBytes } from '../bytes.ts'

/** The event of a swept address: salt and token, then the amount. */
export const SWEPT_TOPIC = hashOf('Swept(bytes32,address,uint256)')

const CODE_HASH = keccak_256(hexToBytes(Forwarder.bytecode.slice(2)))

/**
 * A deposit address by CREATE2, as on other chains, except that the hash begins with Tron's own byte, which precedes
 * the factory's address anyway.
 */
export function depositAddress(factory: Address, index: number, branch = 0): Address {
  return addressOfSalt(factory, hexToBytes(saltOf({ index, branch })))
}

export function addressOfSalt(factory: Address, salt: Uint8Array): Address {
  return create2Address(factory, salt, CODE_HASH)
}

export function create2Address(sender: Address, salt: Uint8Array, codeHash: Uint8Array): Address {
  return addressInWord(bytesToHex(keccak_256(concatBytes(bytesOf(sender), salt, codeHash))))
}

export function sweepCall({ contract }: Token, sources: readonly SweepSource[]): ContractCall {
  const salts = listOf(sources.map(saltOf))
  const tokens = listOf(sources.map(() => wordOf(contract ?? NATIVE_ADDRESS)))
  // The arguments are two arrays: their offsets come first.
  const first = 64n
  return callTo(
    'sweep(bytes32[],address[])',
    ...[wordOf(first), wordOf(first + BigInt(salts.length / 2)), salts, tokens],
  )
}

/** The CREATE2 salt: sixteen bytes of the branch, then sixteen of the index. */
function saltOf({ index, branch = 0 }: Pick<SweepSource, 'index' | 'branch'>): string {
  return wordOf((BigInt(branch) << 128n) | BigInt(index))
}
