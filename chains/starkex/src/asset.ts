/** Assets: the ledger's id of a token, and the base units of one of its quanta. */
import { Bug, type Token } from '@causeway/core'
import { concat, type Hex, hexToBigInt, isHex, keccak256, numberToHex, toFunctionSelector } from 'viem'
import { NATIVE, type Settings } from './settings.ts'

const LOW_250 = (1n << 250n) - 1n
const ETH_SELECTOR = toFunctionSelector('ETH()')
const ERC20_SELECTOR = toFunctionSelector('ERC20Token(address)')

export function assetId(contract: string | null, quantum: bigint): bigint {
  const kind =
    contract === null ? ETH_SELECTOR : concat([ERC20_SELECTOR, numberToHex(BigInt(asHex(contract)), { size: 32 })])
  return hexToBigInt(keccak256(concat([kind, numberToHex(quantum, { size: 32 })]))) & LOW_250
}

export function quantumOf({ quanta }: Settings, token: Pick<Token, 'contract' | 'symbol'>): bigint {
  const quantum = quanta.get(token.contract ?? NATIVE)
  if (quantum === undefined) throw new Bug('a token without a quantum', { token: token.symbol })
  return quantum
}

function asHex(contract: string): Hex {
  if (!isHex(contract)) throw new Bug('not a contract', { contract })
  return contract
}
