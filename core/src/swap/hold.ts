/**
 * Holds: why a payout or a wallet waits, as a code with typed parameters. Decisions compare codes and parameters, never
 * text. The text for people is rendered here, only for the log, the command line and the console.
 */

/** The wallet sent transactions that the ledger does not contain. `txHash` is the first of `count`. */
interface UnknownOutflow {
  code: 'unknown_outflow'
  network: string
  txHash: string
  count: number
}

/** Why a wallet signs nothing. A wallet is halted while at least one of these is open. */
export type WalletHold =
  | UnknownOutflow
  /** The missing base units, as text: parameters are stored as JSON. */
  | { code: 'shortfall'; token: string; symbol: string; units: string }
  /** The missing coins are back, but an operator still has to release the wallet. */
  | { code: 'shortfall_cleared'; token: string; symbol: string }
  /** An operator halted the wallet and wrote this note. */
  | { code: 'operator'; note: string }

/** Why a payout waits. */
export type PayoutHold =
  | UnknownOutflow
  | { code: 'unknown_pending'; network: string; txHash: string }
  | { code: 'wallet_halted'; causes: readonly WalletHold['code'][] }
  | { code: 'paused'; scope: string; note: string }
  | { code: 'outflow_limit' }
  | { code: 'no_price'; symbol: string }
  /** The payout's value in 10^-18 dollars, as text. An approval covers this value. Rows of older versions lack it. */
  | { code: 'approval_needed'; usd?: string }
  /** `listing` is the screening service's own text. */
  | { code: 'screened'; address: string; listing: string }
  | { code: 'deposit_reverifying'; txHash: string }
  /** `deposit` tells which deposit of the transaction was lost. Absent in rows of older versions. */
  | { code: 'deposit_lost'; txHash: string; deposit?: string }
  | { code: 'deposit_unlocatable'; txHash: string }
  | { code: 'reward_unearned' }
  | { code: 'recipient_cap'; address: string; most: number }
  /** The sale of the swap seems to have brought more than it may: `plausible` is the most that is paid on unasked. */
  | { code: 'excess_proceeds'; symbol: string; received: string; plausible: string }
  /** `settledBy`: a payout recorded in the journal that may have paid for the same deposit. */
  | { code: 'restore_doubt'; settledBy?: string }
  | { code: 'payout_reorged'; txHash: string | null; block: string | null; evidence: string }
  | { code: 'signer_refused'; refusal: 'policy' }
  | { code: 'fee_above_limit' }
  /** The database or the signing journal was restored from an older copy: nothing is signed until `restore`. */
  | { code: 'signing_stopped'; state: string }
  /** A temporary failure that is retried. `error` is the class name of the error. */
  | { code: 'trouble'; error: string }

export type Hold = PayoutHold | WalletHold
export type HoldCode = Hold['code']

export interface HoldClass {
  /** Whether an operator must act: logged as an error and counted as an alert. */
  needsPerson: boolean
  /** The hold ends with time, but a bug or a thief would hit this limit first: alerts once per network. */
  alertsOnce: boolean
  /**
   * Whether it is a failure that is retried soon. Other holds are rechecked when something changes, and periodically.
   */
  isRetried: boolean
  /** Whether an operator's decision removes this objection: `payout approve`, or `restore import` after a restore. */
  isApprovable: boolean
  /**
   * Whether the hold was found before a slot is allocated. Such a hold stays until its check passes: a node that is
   * down does not replace it.
   */
  outlastsTrouble: boolean
}

const RULE: HoldClass = {
  needsPerson: false,
  alertsOnce: false,
  isRetried: false,
  isApprovable: false,
  outlastsTrouble: true,
}
const PERSON: HoldClass = { ...RULE, needsPerson: true }
const APPROVABLE: HoldClass = { ...PERSON, isApprovable: true }

const CLASSES: Readonly<Record<HoldCode, HoldClass>> = {
  unknown_outflow: PERSON,
  unknown_pending: PERSON,
  wallet_halted: PERSON,
  shortfall: PERSON,
  shortfall_cleared: PERSON,
  operator: PERSON,
  paused: RULE,
  outflow_limit: { ...RULE, alertsOnce: true },
  no_price: RULE,
  approval_needed: APPROVABLE,
  screened: APPROVABLE,
  deposit_reverifying: RULE,
  deposit_lost: APPROVABLE,
  deposit_unlocatable: APPROVABLE,
  reward_unearned: RULE,
  recipient_cap: RULE,
  excess_proceeds: APPROVABLE,
  restore_doubt: APPROVABLE,
  payout_reorged: APPROVABLE,
  signer_refused: { ...PERSON, outlastsTrouble: false },
  fee_above_limit: { ...PERSON, outlastsTrouble: false },
  signing_stopped: PERSON,
  trouble: { ...RULE, isRetried: true, outlastsTrouble: false },
}

export const HOLD_CODES = Object.keys(CLASSES) as HoldCode[]

export function holdClass({ code }: Pick<Hold, 'code'>): HoldClass {
  return CLASSES[code]
}

/** Two holds are the same if code and parameters are. The order of keys does not matter. */
export function isSameHold(a: Hold, b: Hold): boolean {
  return holdKey(a) === holdKey(b)
}

/** How far a payout's value may rise before an approval no longer covers it. Prices move while an operator decides. */
const APPROVED_RISE = { numerator: 11n, denominator: 10n }

/**
 * Whether an approval of the first hold also covers the second. A screening service may raise a score in its text; any
 * other text is a new listing.
 */
export function covers(shown: Hold, now: Hold): boolean {
  if (shown.code === 'approval_needed' && now.code === 'approval_needed') {
    if (now.usd === undefined || shown.usd === undefined) return now.usd === shown.usd
    return BigInt(now.usd) * APPROVED_RISE.denominator <= BigInt(shown.usd) * APPROVED_RISE.numerator
  }
  if (shown.code === 'screened' && now.code === 'screened') {
    const isSameAddress = shown.address.toLowerCase() === now.address.toLowerCase()
    return isSameAddress && withoutNumbers(shown.listing) === withoutNumbers(now.listing)
  }
  return isSameHold(shown, now)
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '#')
}

/**
 * Errors that prove nothing about the payout, so it is not given up: nothing can be checked while they last, or it waits
 * for its turn.
 */
const CLOCKLESS: readonly string[] = ['NotLooked', 'NetworkMissing', 'ScreeningUnanswered', 'ExchangeQueued']

/** Whether the payout is given up if the hold lasts too long. Other holds never expire. */
export function runsGiveUpClock(hold: Hold): boolean {
  return hold.code === 'trouble' && !CLOCKLESS.includes(hold.error)
}

/** A text that is equal for the same code and parameters. */
export function holdKey(hold: Hold): string {
  const entries = Object.entries(hold).filter(([, value]) => value !== undefined)
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

/** The parameters without the code, as they are stored. */
export function holdParams({ code: _, ...params }: Hold): Record<string, unknown> {
  return params
}

/** The message of the error or of the signer, for operators. No code compares it. */
type Detail = string | null

/** Renders a hold as text: for the log, the command line and the console. */
export function describeHold(hold: Hold, detail: Detail = null): string {
  switch (hold.code) {
    case 'unknown_outflow':
      return `the wallet on ${hold.network} sent ${hold.txHash}${more(hold.count)}, not in the ledger`
    case 'unknown_pending':
      return `the wallet on ${hold.network} has ${hold.txHash} in the mempool, not in the ledger`
    case 'wallet_halted':
      return `the wallet is halted: ${hold.causes.join(', ')}; see "wallet list"`
    case 'shortfall':
      return `${hold.units} base units of ${hold.symbol} are missing`
    case 'shortfall_cleared':
      return `the missing ${hold.symbol} is there again`
    case 'operator':
      return hold.note
    case 'paused':
      return `payouts are paused: ${hold.note}`
    case 'outflow_limit':
      return 'the outflow limit is reached'
    case 'no_price':
      return `there is no price for ${hold.symbol}`
    case 'approval_needed':
      return hold.usd === undefined
        ? 'it needs an approval'
        : `it needs an approval: it is worth $${dollars(hold.usd)}, above the approval limit`
    case 'screened':
      return `${hold.address} is screened: ${hold.listing}`
    case 'deposit_reverifying':
      return `the block of its deposit ${hold.txHash} was replaced; the deposit is read again`
    case 'deposit_lost':
      return `its deposit ${hold.txHash} has vanished from the chain`
    case 'deposit_unlocatable':
      return `no node locates its deposit ${hold.txHash} since its block was replaced`
    case 'reward_unearned':
      return 'a swap that it rewards is no longer completed'
    case 'recipient_cap':
      return `${hold.address} is a contract with ${hold.most} payouts in flight`
    case 'excess_proceeds':
      return `its sale seems to have brought ${hold.received} base units of ${hold.symbol}, more than the ${hold.plausible} that were to be expected: look the transaction up elsewhere`
    case 'restore_doubt':
      return hold.settledBy
        ? `it may have been paid for before the restore, by ${hold.settledBy}`
        : 'it may have been paid before the restore: see "restore export"'
    case 'payout_reorged':
      return `it was confirmed by ${hold.txHash} in block ${hold.block}, then reorged: ${hold.evidence}`
    case 'signer_refused':
      return detail ?? 'the signer refuses'
    case 'fee_above_limit':
      return detail ?? 'the fee is above the limit'
    case 'signing_stopped':
      return `signing is stopped (${hold.state}): run "restore"`
    case 'trouble':
      return detail ?? hold.error
  }
}

/** 10^-18 dollars, rounded up to cents. */
function dollars(usd: string): string {
  const cents = (BigInt(usd) + 10n ** 16n - 1n) / 10n ** 16n
  const whole = `${cents / 100n}`.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${whole}.${(cents % 100n).toString().padStart(2, '0')}`
}

function more(count: number): string {
  return count > 1 ? ` and ${count - 1} more` : ''
}
