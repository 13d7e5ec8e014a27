/**
 * Gasless deposits. The owner signs for the Paymaster; the treasury sends the one call that takes the money and
 * deposits it under the swap's reference. An authorization's nonce commits to the swap, so it is valid for no other.
 */
import { Paymaster } from '@causeway/contracts'
import { type Address, ApiError, type DepositAction, type GaslessRequest, type GaslessVerdict } from '@causeway/core'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  parseAbi,
  recoverAddress,
  size,
} from 'viem'
import type { EvmChain } from '../chain.ts'
import { code, contractCall, hex } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { balanceOf, word } from '../paying/balance.ts'
import { formatCall } from '../paying/order.ts'
import { isContract } from '../scanning/transfers.ts'
import { idOf } from './depository.ts'
import type { SigningStandard } from './facts.ts'
import { partsOf, TOKEN_ABI } from './probe.ts'
import { authorizationText, digestOf, forWallet, permitText, type TypedData } from './typed-data.ts'

const VALID_AFTER = 0n

export function supportsGasless({ facts }: EvmChain, contract: string | null): boolean {
  if (contract === null || !facts.depositoryIsOpen || !facts.paymasterIsDeployed) return false
  return (facts.tokens.get(contract)?.standard ?? null) !== null
}

export async function signAction(chain: EvmChain, request: GaslessRequest): Promise<DepositAction> {
  const { text, nonce } = await chain.rpc.use((node) => textFor(chain, node, request))
  return {
    type: 'sign',
    toAddress: chain.contracts.paymaster,
    units: request.units,
    callData: null,
    gasLimit: null,
    encodedArgs: null,
    signing: {
      typedData: forWallet(text),
      validAfter: Number(VALID_AFTER),
      validBefore: request.validBefore,
      nonce,
    },
  }
}

/** Accepts only a request that the owner really signed and whose money is there. */
export async function authorize(chain: EvmChain, request: GaslessRequest, given: string): Promise<GaslessVerdict> {
  const contract = contractOf(request)
  return chain.rpc.use(async (node) => {
    const { standard, text, nonce } = await textFor(chain, node, request)
    const signature = await acceptedSignature(node, request, standard, digestOf(text), given as Hex)
    if (signature === null) return { state: 'rejected', reason: 'the signature is not that of the owner' }
    const [held] = await node.ask([balanceOf(contract, request.owner, 'latest')])
    if (word(held) < request.units) {
      return { state: 'insufficient', reason: `the owner holds ${word(held)} of ${request.units} base units` }
    }
    const needs = { contract, owner: request.owner, units: request.units }
    const data = encodeRelay(request, standard, signature)
    return { state: 'valid', nonce, call: formatCall({ to: chain.contracts.paymaster, data, needs }) }
  })
}

/** The text to sign. It stays the same until the owner uses a permit elsewhere. */
async function textFor(
  chain: EvmChain,
  node: Node,
  request: GaslessRequest,
): Promise<{ standard: SigningStandard; text: TypedData; nonce: string }> {
  const contract = contractOf(request)
  const standard = chain.facts.tokens.get(contract)?.standard
  if (!standard || !supportsGasless(chain, contract)) throw notOffered(request)
  const owner = getAddress(request.owner)
  const spender = getAddress(chain.contracts.paymaster)
  const validBefore = BigInt(request.validBefore)
  if (standard.kind === 'eip3009') {
    const nonce = authorizationNonce(request)
    const message = { from: owner, to: spender, value: request.units, validAfter: VALID_AFTER, validBefore, nonce }
    return { standard, text: authorizationText(standard.domain, message), nonce }
  }
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'nonces', args: [owner] })
  const nonce = word((await node.ask([contractCall({ to: contract, data })]))[0])
  const message = { owner, spender, value: request.units, nonce, deadline: validBefore }
  return { standard, text: permitText(standard.domain, message), nonce: nonce.toString() }
}

/** The authorization's nonce, computed like `Paymaster.nonceOf`. */
function authorizationNonce({ reference, receiver, validBefore }: GaslessRequest): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'address' }, { type: 'uint256' }],
      [idOf(reference), getAddress(receiver), BigInt(validBefore)],
    ),
  )
}

const WALLET_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const IS_VALID = '0x1626ba7e'
/**
 * Gas limit for checking a contract wallet's signature: enough for a wallet with many owners. An endless loop must not
 * use up a node's time.
 */
const JUDGING_GAS = 1_000_000n
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The signature in the form that the contracts accept; null if it is not the owner's. */
async function acceptedSignature(
  node: Node,
  { owner }: GaslessRequest,
  standard: SigningStandard,
  digest: Hex,
  given: Hex,
): Promise<Hex | null> {
  const [standing] = await node.ask([code(owner)])
  if (!isContract(standing)) {
    const plain = plainSignature(given)
    if (!plain) return null
    const signer = await recoverAddress({ hash: digest, signature: plain }).catch(() => null)
    return signer === getAddress(owner) ? plain : null
  }
  if (standard.kind !== 'eip3009' || !standard.forContracts) return null
  return (await isApproved(node, owner, digest, given)) ? given : null
}

/** Asks a contract wallet whether a signature in its name is valid (EIP-1271). */
export async function isApproved(node: Node, owner: Address, digest: Hex, given: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: 'isValidSignature', args: [digest, given] })
  const [answer] = await node.settle([contractCall({ to: owner, data, gas: hex(JUDGING_GAS) })])
  return !(answer instanceof Refusal) && answer.startsWith(IS_VALID)
}

/** 65 bytes with the low s and v of 27 or 28; wallets also write v as 0 and 1. */
export function plainSignature(given: Hex): Hex | null {
  if (size(given) !== 65) return null
  const { r, s, v } = partsOf(given)
  const recovery = v < 27 ? v + 27 : v
  if ((recovery !== 27 && recovery !== 28) || hexToBigInt(s) > HALF_ORDER) return null
  return `${r}${s.slice(2)}${numberToHex(recovery, { size: 1 }).slice(2)}`
}

function encodeRelay(request: GaslessRequest, standard: SigningStandard, signature: Hex): Hex {
  const deposit = {
    id: idOf(request.reference),
    token: getAddress(contractOf(request)),
    receiver: getAddress(request.receiver),
    owner: getAddress(request.owner),
    amount: request.units,
  }
  const validBefore = BigInt(request.validBefore)
  if (standard.kind === 'eip3009') {
    const args = [deposit, VALID_AFTER, validBefore, signature] as const
    return encodeFunctionData({ abi: Paymaster.abi, functionName: 'depositWithAuthorization', args })
  }
  const { v, r, s } = partsOf(signature)
  const args = [deposit, validBefore, v, r, s] as const
  return encodeFunctionData({ abi: Paymaster.abi, functionName: 'depositWithPermit', args })
}

function contractOf(request: GaslessRequest): string {
  if (request.token.contract === null) throw notOffered(request)
  return request.token.contract
}

function notOffered({ token }: GaslessRequest): ApiError {
  const message = `is not offered for ${token.symbol} on ${token.network} now`
  return new ApiError('VALIDATION_ERROR', `use_gasless ${message}.`, { use_gasless: message })
}
