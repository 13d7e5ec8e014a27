/**
 * Which signatures a token's contract really accepts. Names and functions prove little, so it is tested: a throwaway
 * key signs and the call is simulated. The right signature must pass and a wrong one must fail.
 */
import {
  type Address,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import type { EvmChain } from '../chain.ts'
import { contractCall } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { SigningStandard } from './facts.ts'
import { authorizationText, type Domain, digestOf, permitText, type TypedData } from './typed-data.ts'

export const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address owner) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
/** The function has two overloads, so each needs its own ABI. */
const AUTHORIZATION_ABI = parseAbi([
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const AUTHORIZATION_BYTES_ABI = parseAbi([
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** A deadline far enough in the future for any clock. */
const LATER = 2n ** 40n
const USUAL_VERSION = '1'

/**
 * The signing standard of a token; null if it accepts none. Throws if the node fails, because that is not an answer.
 */
export async function standardOf(chain: EvmChain, node: Node, contract: Address): Promise<SigningStandard | null> {
  const domain = await domainOf(chain, node, contract)
  if (!domain) return null
  const key = generatePrivateKey()
  const owner = privateKeyToAccount(key).address
  const payee = privateKeyToAccount(generatePrivateKey()).address
  const authorization = { from: owner, to: payee, value: 0n, validAfter: 0n, validBefore: LATER, nonce: zeroHash }
  const permit = { owner, spender: payee, value: 1n, nonce: 0n, deadline: LATER }
  const [good, bad] = await signatures(key, authorizationText(domain, authorization))
  const [goodPermit, badPermit] = await signatures(key, permitText(domain, permit))
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const terms = [from, to, value, validAfter, validBefore, nonce] as const
  const split = ({ v, r, s }: Parts) =>
    encodeFunctionData({
      abi: AUTHORIZATION_ABI,
      functionName: 'receiveWithAuthorization',
      args: [...terms, v, r, s],
    })
  const whole = ({ bytes }: Parts) =>
    encodeFunctionData({
      abi: AUTHORIZATION_BYTES_ABI,
      functionName: 'receiveWithAuthorization',
      args: [...terms, bytes],
    })
  const permitting = ({ v, r, s }: Parts) =>
    encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'permit',
      args: [owner, payee, permit.value, permit.deadline, v, r, s],
    })
  const trials = [split(good), split(bad), whole(good), whole(bad), permitting(goodPermit), permitting(badPermit)]
  const answers = await node.settle(trials.map((data) => contractCall({ from: payee, to: contract, data })))
  const passed = (right: number) =>
    !(answers[right] instanceof Refusal) && answers[right + 1] instanceof Refusal && answers[right] !== undefined
  if (passed(0)) return { kind: 'eip3009', domain, forContracts: passed(2) }
  return passed(4) ? { kind: 'erc2612', domain } : null
}

interface Parts {
  v: number
  r: Hex
  s: Hex
  bytes: Hex
}

/** The right signature, and one by another key. */
async function signatures(key: Hex, text: TypedData): Promise<[Parts, Parts]> {
  const hash = digestOf(text)
  return [partsOf(await signed(hash, key)), partsOf(await signed(hash, generatePrivateKey()))]
}

function signed(hash: Hex, privateKey: Hex): Promise<Hex> {
  return sign({ hash, privateKey, to: 'hex' })
}

export function partsOf(bytes: Hex): Parts {
  return {
    bytes,
    r: bytes.slice(0, 66) as Hex,
    s: `0x${bytes.slice(66, 130)}`,
    v: Number(`0x${bytes.slice(130, 132)}`),
  }
}

/** Null if the contract has no domain, or one that does not match its name and version. */
async function domainOf({ chainId }: EvmChain, node: Node, contract: Address): Promise<Domain | null> {
  const read = (functionName: 'name' | 'version' | 'DOMAIN_SEPARATOR') =>
    contractCall({ to: contract, data: encodeFunctionData({ abi: TOKEN_ABI, functionName }) })
  const [name, version, separator] = await node.settle([read('name'), read('version'), read('DOMAIN_SEPARATOR')])
  const text = (answer: string | Refusal, functionName: 'name' | 'version') => {
    try {
      if (answer instanceof Refusal) return null
      return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data: answer as Hex })
    } catch {
      return null
    }
  }
  const called = text(name, 'name')
  if (called === null || separator instanceof Refusal) return null
  const domain: Domain = {
    name: called,
    version: text(version, 'version') ?? USUAL_VERSION,
    chainId,
    verifyingContract: contract,
  }
  return domainSeparator({ domain }) === separator.toLowerCase() ? domain : null
}
