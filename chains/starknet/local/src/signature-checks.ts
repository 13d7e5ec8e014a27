/**
 * A node's checks of a signed transaction: its hash, computed by another library than the adapter's own code, and the
 * signature under the account's key. An unknown key is recovered from the signature and must match the address.
 */
import { ec, hash } from 'starknet'
import type { AccountRule } from './plan.ts'

export type Wire = Record<string, unknown>

export interface Sent {
  type: 'INVOKE' | 'DEPLOY_ACCOUNT'
  hash: bigint
  sender: bigint
  nonce: bigint
  tip: bigint
  bounds: { l1_gas: Bound; l2_gas: Bound; l1_data_gas: Bound }
  signature: bigint[]
  calldata: bigint[]
  wire: Wire
}

interface Bound {
  max_amount: bigint
  max_price_per_unit: bigint
}

/** Decodes a transaction; throws if the text is not one of this version. */
export function readSent(chainId: string, wire: Wire): Sent {
  if (wire.version !== '0x3') throw new TypeError('only version 3 is taken')
  const bounds = readBounds(wire.resource_bounds)
  const common = {
    chainId: chainId as never,
    version: '0x3',
    nonce: String(wire.nonce),
    nonceDataAvailabilityMode: modeOf(wire.nonce_data_availability_mode) as never,
    feeDataAvailabilityMode: modeOf(wire.fee_data_availability_mode) as never,
    resourceBounds: bounds,
    tip: numberOf(wire.tip),
    paymasterData: texts(wire.paymaster_data),
  } as const
  const shared = {
    nonce: numberOf(wire.nonce),
    tip: numberOf(wire.tip),
    bounds,
    signature: numbers(wire.signature),
    wire,
  }
  if (wire.type === 'DEPLOY_ACCOUNT') {
    const salt = String(wire.contract_address_salt)
    const classHash = String(wire.class_hash)
    const args = texts(wire.constructor_calldata)
    const contractAddress = hash.calculateContractAddressFromHash(salt, classHash, args, 0)
    const made = { ...common, contractAddress, classHash, compiledConstructorCalldata: args, salt }
    const told = BigInt(hash.calculateDeployAccountTransactionHash(made))
    return {
      ...shared,
      type: 'DEPLOY_ACCOUNT',
      hash: told,
      sender: BigInt(contractAddress),
      calldata: args.map(BigInt),
    }
  }
  const made = {
    ...common,
    senderAddress: String(wire.sender_address),
    compiledCalldata: texts(wire.calldata),
    accountDeploymentData: texts(wire.account_deployment_data),
  }
  const told = BigInt(hash.calculateInvokeTransactionHash(made))
  const sender = numberOf(wire.sender_address)
  return { ...shared, type: 'INVOKE', hash: told, sender, calldata: numbers(wire.calldata) }
}

const { ProjectivePoint, CURVE } = ec.starkCurve

export function isSigned(publicKey: bigint, digest: bigint, signature: readonly bigint[]): boolean {
  const [r, s, ...more] = signature
  if (r === undefined || s === undefined || more.length > 0) return false
  try {
    const made = new ec.starkCurve.Signature(r, s)
    return ['02', '03'].some((side) => ec.starkCurve.verify(made, digest.toString(16), side + padded(publicKey)))
  } catch {
    return false
  }
}

/** The public key that made this signature and matches the account's address; null if there is none. */
export function keyBehind(
  rule: AccountRule,
  account: bigint,
  digest: bigint,
  signature: readonly bigint[],
): bigint | null {
  const [r = 0n, s = 0n] = signature
  const { n } = CURVE
  try {
    const inverse = inverseOf(r, n)
    for (const side of ['02', '03']) {
      const point = ProjectivePoint.fromHex(side + padded(r))
      const [a, b] = [(s * inverse) % n, (n - ((digest * inverse) % n)) % n]
      const key = point.multiply(a).add(ProjectivePoint.BASE.multiply(b)).toAffine().x
      if (accountAddress(rule, key) === account) return key
    }
  } catch {}
  return null
}

export function accountAddress({ classHash, constructorCalldata }: AccountRule, publicKey: bigint): bigint {
  const key = `0x${publicKey.toString(16)}`
  const args = constructorCalldata.map((one) => (one === 'key' ? key : one))
  return BigInt(hash.calculateContractAddressFromHash(key, classHash, args, 0))
}

function inverseOf(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n]
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % modulus) + modulus) % modulus
}

function padded(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

function readBounds(raw: unknown): Sent['bounds'] {
  const bounds = raw as Record<string, { max_amount: string; max_price_per_unit: string }>
  const one = (name: string): Bound => ({
    max_amount: numberOf(bounds[name]?.max_amount),
    max_price_per_unit: numberOf(bounds[name]?.max_price_per_unit),
  })
  return { l1_gas: one('l1_gas'), l2_gas: one('l2_gas'), l1_data_gas: one('l1_data_gas') }
}

function modeOf(raw: unknown): number {
  return raw === 'L2' ? 1 : 0
}

function numberOf(raw: unknown): bigint {
  if (typeof raw !== 'string' || !/^0x[0-9a-f]+$/i.test(raw)) throw new TypeError('a hex number was expected')
  return BigInt(raw)
}

function numbers(raw: unknown): bigint[] {
  return texts(raw).map(BigInt)
}

function texts(raw: unknown): string[] {
  if (!Array.isArray(raw)) throw new TypeError('a list was expected')
  return raw.map((one) => {
    numberOf(one)
    return String(one)
  })
}
