/**
 * Executes a transaction like a chain of the SDK: it checks signers, sequences and fee, charges the fee and uses the
 * sequences; then it runs the messages, all or none.
 */
import { addressOfKey, type Envelope, isSigned, moduleAddress } from './envelope.ts'
import type { Ledger } from './ledger.ts'
import { type BankRules, type ChainEvent, eventOf, Failed, runMessage, signersOf } from './messages.ts'
import { lengthField } from './wire.ts'

export interface Rules extends BankRules {
  chainId: string
  prefix: string
  feeDenom: string
  /** The gas price in 10^-18 base units. */
  gasPrice: bigint
  /** Accounts with a custom authenticator: any key and signature is accepted. */
  authenticators: Set<string>
}

export interface Outcome {
  code: number
  codespace: string
  log: string
  data: Buffer
  gasWanted: bigint
  gasUsed: bigint
  events: ChainEvent[]
  /** Sequences that the transaction consumed, as `address/number`. */
  used: string[]
}

const MOST_SIGNATURES = 7
const MOST_MEMO = 256
const DIRECT = 1n
/** A gas model: a base, plus an amount per message, signature and byte. */
const GAS = { base: 45_000n, message: 20_000n, signature: 3_000n, byte: 10n }

export interface Mode {
  /** The height of the block that includes the transaction, or after which it is checked. */
  height: bigint
  /** Whether it is a simulation: neither signatures nor the fee are checked. */
  isTrial?: boolean
  /** Whether it is a check for the mempool: messages are not run. */
  isCheck?: boolean
}

export function execute(ledger: Ledger, rules: Rules, envelope: Envelope, size: number, mode: Mode): Outcome {
  const { gas: gasWanted, messages, signers } = envelope
  const gasUsed =
    GAS.base + GAS.message * BigInt(messages.length) + GAS.signature * BigInt(signers.length) + GAS.byte * BigInt(size)
  const outcome: Outcome = {
    ...{ code: 0, codespace: '', log: '', data: Buffer.alloc(0), gasWanted, gasUsed, events: [], used: [] },
  }
  const paid = ledger.aside()
  try {
    outcome.events.push(...admit(paid, rules, envelope, mode, outcome.used))
  } catch (error) {
    return failed({ ...outcome, events: [], used: [], gasUsed: GAS.base }, error)
  }
  paid.keep()
  if (mode.isCheck) return outcome
  const run = ledger.aside()
  try {
    if (!mode.isTrial && gasUsed > gasWanted) throw new Failed(11, 'out of gas in location: WriteFlat: out of gas')
    const told = messages.map((message, at) => runMessage(run, rules, message, at))
    run.keep()
    const data = Buffer.concat(messages.map(({ type }) => lengthField(2, lengthField(1, `${type}Response`))))
    return { ...outcome, data, events: [...outcome.events, ...told.flat()] }
  } catch (error) {
    return failed(outcome, error)
  }
}

function failed(outcome: Outcome, error: unknown): Outcome {
  if (!(error instanceof Failed)) throw error
  return { ...outcome, code: error.code, codespace: error.codespace, log: error.message }
}

/** Checks fee and signatures of a transaction. */
function admit(ledger: Ledger, rules: Rules, envelope: Envelope, mode: Mode, used: string[]): ChainEvent[] {
  const { messages, memo, timeoutHeight, signers, signatures, fee, gas } = envelope
  if (messages.length === 0) throw new Failed(18, 'must contain at least one message: invalid request')
  if (timeoutHeight > 0n && mode.height > timeoutHeight)
    throw new Failed(30, `block height: ${mode.height}, timeout height: ${timeoutHeight}: tx timeout height`)
  if (Buffer.byteLength(memo) > MOST_MEMO) throw new Failed(12, 'maximum number of characters: memo too large')
  const wanted = [...new Set(messages.flatMap((message) => signersOf(message, rules.prefix)))]
  const payer = envelope.payer || wanted[0] || ''
  const expected = wanted.includes(payer) ? wanted : [...wanted, payer]
  if (expected.length > MOST_SIGNATURES) throw new Failed(14, `signatures: ${expected.length}: too many signatures`)
  const events = mode.isTrial ? [] : takeFee(ledger, rules, fee, gas, payer)
  if (signers.length !== expected.length || signatures.length !== expected.length)
    throw new Failed(4, `wrong number of signers; expected ${expected.length}, got ${signers.length}: unauthorized`)
  for (const [at, address] of expected.entries()) {
    const signer = signers[at]
    const account = ledger.account(address)
    if (!signer || !account) throw new Failed(9, `account ${address} does not exist: unknown address`)
    const isFree = rules.authenticators.has(address)
    if (!isFree && addressOfKey(signer.key, signer.keyType, rules.prefix) !== address)
      throw new Failed(8, 'pubKey does not match signer address: invalid pubkey')
    if (signer.sequence !== account.sequence) {
      const reason = `account sequence mismatch, expected ${account.sequence}, got ${signer.sequence}`
      throw new Failed(32, `${reason}: incorrect account sequence`)
    }
    const signature = signatures[at] ?? Buffer.alloc(0)
    const isRight = signer.mode === DIRECT && isSigned(envelope, signature, signer, rules.chainId, account.number)
    if (!mode.isTrial && !isFree && !isRight)
      throw new Failed(
        4,
        `signature verification failed; please verify account number (${account.number}): unauthorized`,
      )
    ledger.setAccount(address, {
      ...account,
      sequence: account.sequence + 1n,
      key: { type: signer.keyType, bytes: signer.key },
    })
    used.push(`${address}/${signer.sequence}`)
    events.push(eventOf('tx', { acc_seq: `${address}/${signer.sequence}` }))
  }
  return events
}

const ONE = 10n ** 18n

function takeFee(ledger: Ledger, rules: Rules, fee: Envelope['fee'], gas: bigint, payer: string): ChainEvent[] {
  const { feeDenom, gasPrice, prefix } = rules
  const [coin, ...more] = fee
  if (more.length > 0 || (coin && (coin.denom !== feeDenom || coin.amount <= 0n)))
    throw new Failed(10, 'fee coins: invalid coins')
  const amount = coin?.amount ?? 0n
  const least = (gas * gasPrice + ONE - 1n) / ONE
  if (amount < least)
    throw new Failed(13, `insufficient fees; got: ${amount}${feeDenom} required: ${least}${feeDenom}: insufficient fee`)
  const held = ledger.balance(payer, feeDenom)
  if (held < amount) {
    const reason = `spendable balance ${held}${feeDenom} is smaller than ${amount}${feeDenom}`
    throw new Failed(5, `${reason}: insufficient funds`)
  }
  const collector = moduleAddress('fee_collector', prefix)
  const written = `${amount}${feeDenom}`
  ledger.add(payer, feeDenom, -amount)
  ledger.add(collector, feeDenom, amount)
  return [
    eventOf('coin_spent', { spender: payer, amount: written }),
    eventOf('coin_received', { receiver: collector, amount: written }),
    eventOf('transfer', { recipient: collector, sender: payer, amount: written }),
    eventOf('tx', { fee: written, fee_payer: payer }),
  ]
}
