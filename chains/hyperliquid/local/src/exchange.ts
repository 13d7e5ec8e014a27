/** Checks signed actions like the network: the signer, the nonce and the balance. */

import { ACTIVATION, type Account, type LocalChain, type TokenPlan } from './chain.ts'
import { decimal } from './decimal.ts'
import { ACTIONS, digestOf, recover, type Signature } from './eip712.ts'

interface Envelope {
  action?: Record<string, unknown>
  nonce?: unknown
  signature?: Partial<Signature>
  expiresAfter?: unknown
  vaultAddress?: unknown
}

/** A rejection that the network answers with "err". */
class Refused extends Error {}

const DAY_MS = 24 * 3_600_000
const PERP_DECIMALS = 6

export function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'action' in body && 'signature' in body
}

export function runAction(chain: LocalChain, envelope: Envelope): unknown {
  try {
    execute(chain, envelope)
    return { status: 'ok', response: { type: 'default' } }
  } catch (error) {
    if (error instanceof Refused) return { status: 'err', response: error.message }
    throw error
  }
}

function execute(chain: LocalChain, { action = {}, nonce, signature, expiresAfter, vaultAddress }: Envelope): void {
  const kind = ACTIONS[String(action.type)]
  if (!kind || action.type === 'withdraw3') throw new Refused('Unknown action')
  if (expiresAfter !== undefined) throw new Refused('User-signed actions do not take expiresAfter')
  if (vaultAddress !== undefined && vaultAddress !== null) throw new Refused('Vault not registered')
  if (action.hyperliquidChain !== chain.plan.chain) throw new Refused('Invalid hyperliquid chain')
  if (nonce !== action[kind.nonceField] || !Number.isSafeInteger(nonce))
    throw new Refused('Nonce does not match the action')
  if (!isSignature(signature)) throw new Refused('Invalid signature')
  const { destination } = action
  if (typeof destination !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(destination)) throw new Refused('Invalid address')
  // The address is normalised before the fields are hashed.
  const to = destination.toLowerCase()
  const user = recovered({ ...action, destination: to }, signature)
  const account = chain.account(user)
  if (!account) throw new Refused(`User or API Wallet ${user} does not exist.`)
  checkNonce(chain, account, Number(nonce))
  transfer(chain, { action, user, account, to, nonce: Number(nonce) })
}

function isSignature(signature: Partial<Signature> | undefined): signature is Signature {
  const { r, s, v } = signature ?? {}
  const isWord = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
  return isWord(r) && isWord(s) && (v === 27 || v === 28)
}

function recovered(action: Record<string, unknown>, signature: Signature): string {
  try {
    return recover(digestOf(action), signature)
  } catch {
    throw new Refused('Unable to recover signer')
  }
}

function checkNonce(chain: LocalChain, { nonces }: Account, nonce: number): void {
  const { time } = chain
  if (nonce <= time - 2 * DAY_MS || nonce >= time + DAY_MS)
    throw new Refused(`Invalid nonce: ${nonce} is outside the window`)
  if (nonces.includes(nonce)) throw new Refused(`Invalid nonce: duplicate nonce ${nonce}`)
  const least = nonces.at(-1)
  if (nonces.length >= 100 && least !== undefined && nonce < least)
    throw new Refused(`Invalid nonce: ${nonce} is too low`)
}

interface Sending {
  action: Record<string, unknown>
  user: string
  account: Account
  to: string
  nonce: number
}

function transfer(chain: LocalChain, { action, user, account, to, nonce }: Sending): void {
  const isPerp = action.type === 'usdSend'
  if (action.type === 'spotSend' && account.mode === 'unifiedAccount') {
    throw new Refused('Action disabled when unified account is active')
  }
  if (action.type === 'sendAsset' && action.fromSubAccount !== '') throw new Refused('Sub-account not registered')
  const from = isPerp ? '' : action.type === 'spotSend' ? 'spot' : action.sourceDex
  const into = isPerp ? '' : action.type === 'spotSend' ? 'spot' : action.destinationDex
  if ((from !== 'spot' && from !== '') || (into !== 'spot' && into !== '')) throw new Refused('Invalid dex')
  if (from === into && to === user) throw new Refused('Cannot self-transfer')
  const token = isPerp ? chain.plan.tokens[0] : tokenIn(chain, action.token)
  if (!token || (token.index !== chain.usdc && (from === '' || into === ''))) throw new Refused('Invalid token')
  const units = amountIn(action.amount, from === '' || into === '' ? PERP_DECIMALS : token.decimals, token.decimals)
  const fee = feeOf(chain, account, to)
  withdraw(chain, account, from, token, units, fee)
  chain.use(account, nonce)
  account.hasSent = true
  account.isPaid = true
  account.sent += 1
  const recipient = chain.born(to, true)
  deposit(chain, recipient, into, token, units)
  write(chain, { action, user, account, to, recipient, from, into, token, units, fee, nonce })
}

/**
 * The network's fee: a dollar for an account that is new to the network, and one for a sender who never paid theirs.
 */
export function feeOf(chain: LocalChain, sender: Account | undefined, to: string): bigint {
  const forRecipient = chain.account(to) ? 0n : ACTIVATION
  return forRecipient + (sender && !sender.isPaid ? ACTIVATION : 0n)
}

function tokenIn({ plan }: LocalChain, wire: unknown): TokenPlan | undefined {
  return plan.tokens.find(({ name, id }) => wire === `${name}:${id}`)
}

function amountIn(amount: unknown, decimals: number, tokenDecimals: number): bigint {
  const [, whole, , fraction = ''] = /^(0|[1-9]\d{0,20})(\.(\d+))?$/.exec(String(amount)) ?? []
  if (typeof amount !== 'string' || whole === undefined || fraction.endsWith('0') || amount.endsWith('.')) {
    throw new Refused('Invalid amount')
  }
  if (fraction.length > decimals) throw new Refused('Amount has too many decimals')
  const units = BigInt(whole + fraction.padEnd(tokenDecimals, '0'))
  if (units === 0n) throw new Refused('Amount must be positive')
  return units
}

function withdraw(
  chain: LocalChain,
  account: Account,
  from: string,
  token: TokenPlan,
  units: bigint,
  fee: bigint,
): void {
  const gas = 'Insufficient USDC balance for token transfer gas.'
  if (from === '') {
    const taken = toPerp(units + fee)
    if (account.perp < toPerp(units)) throw new Refused('Insufficient balance for transfer')
    if (account.perp < taken) throw new Refused(gas)
    account.perp -= taken
    return
  }
  if (chain.held(account, token.index) < units) throw new Refused('Insufficient balance for transfer')
  const left = chain.held(account, chain.usdc) - (token.index === chain.usdc ? units : 0n)
  if (left < fee) throw new Refused(gas)
  chain.add(account, token.index, -units)
  chain.add(account, chain.usdc, -fee)
}

function deposit(chain: LocalChain, account: Account, into: string, token: TokenPlan, units: bigint): void {
  if (into === '') account.perp += toPerp(units)
  else chain.add(account, token.index, units)
}

function toPerp(units: bigint): bigint {
  return units / 100n
}

interface Written extends Sending {
  recipient: Account
  from: string
  into: string
  token: TokenPlan
  units: bigint
  fee: bigint
}

function write(chain: LocalChain, sent: Written): void {
  const { action, user, account, to, recipient, from, into, token, units, fee, nonce } = sent
  const { time, hash, height } = chain.block()
  const amount = decimal(units, token.decimals)
  const cost = fee === 0n ? '0.0' : `${fee / 100_000_000n}.0`
  const common = { user, destination: to, fee: cost }
  const named = {
    ...common,
    token: token.name,
    amount,
    usdcValue: amount,
    nativeTokenFee: '0.0',
    nonce,
    feeToken: 'USDC',
  }
  const delta =
    action.type === 'usdSend'
      ? { type: 'internalTransfer', usdc: amount, ...common }
      : action.type === 'spotSend'
        ? { type: 'spotTransfer', ...named }
        : { type: 'send', ...named, sourceDex: from, destinationDex: into }
  for (const each of new Set([account, recipient])) each.rows.push({ time, hash, delta: { ...delta } })
  chain.actions.push({ action, user, hash, time, block: height })
  chain.settle([user, to])
}
