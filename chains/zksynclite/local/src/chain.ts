/**
 * A double of the ZKsync Lite server: accounts with numbers, keys and nonces, a queue, blocks that are committed and
 * later final. It validates like the server, with independent code, but has no proof on Ethereum.
 */
import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import {
  ethereumSigner,
  isWellFormed,
  musigKey,
  nameOf,
  type Op,
  type Posted,
  senderOf,
  type TransferOp,
} from './codec.ts'

export interface ChainPlan {
  name: string
  /** The underlying Ethereum network, by the server's name for it. */
  ethereum: string
  /** Blocks until one is final, including itself. */
  finalDepth: number
  /** Milliseconds between automatic blocks; null for none. */
  blockMs: number | null
}

export interface Account {
  id: number
  nonce: number
  keyHash: string
  units: bigint
}

interface DepositOp {
  type: 'Deposit'
  from: string
  to: string
  tokenId: number
  amount: string
}

export interface Entry {
  hash: string
  op: Op | DepositOp
  /** The block; null while the entry is pending. */
  block: number | null
  failReason: string | null
  createdAt: Date
}

export interface Block {
  number: number
  root: string
  time: Date
}

/** The server's rejection, with its code. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const LOCKED = `sync:${'0'.repeat(40)}`
const ZERO = '0x0000000000000000000000000000000000000000'
/** Fees in wei, as round numbers that are easy to recognise. */
const FEES = {
  Transfer: 1_000_000_000_000n,
  TransferToNew: 2_000_000_000_000n,
  ChangePubKey: 3_000_000_000_000n,
}
const DISABLED = 609
const REFUSED = 601

export class LocalChain {
  readonly plan: ChainPlan
  readonly blocks: Block[] = []
  readonly entries = new Map<string, Entry>()
  /** Whether the server accepts nothing any more. */
  isClosed = false
  /** This many future transactions are rejected when their block is made. */
  rejections = 0
  /** Fees are this multiple of the usual ones. */
  feeTimes = 1n
  /** Added to the clock, in milliseconds. */
  skewMs = 0
  readonly #accounts = new Map<string, Account>()
  /** Accounts as they were when each block was made. */
  readonly #finals: Map<string, Account>[] = []
  readonly #queue: Entry[] = []
  /** Entries per account, oldest first; pending ones come last. */
  readonly #past = new Map<string, Entry[]>()
  #deposits = 0

  constructor(plan: ChainPlan) {
    this.plan = plan
    this.mine(1)
    if (plan.blockMs !== null) setInterval(() => this.mine(1), plan.blockMs).unref()
  }

  get head(): Block {
    return this.blocks[this.blocks.length - 1] as Block
  }

  get finalNumber(): number {
    return Math.max(0, this.head.number - this.plan.finalDepth + 1)
  }

  account(address: string, state: 'committed' | 'finalized' = 'committed'): Account | null {
    const accounts = state === 'committed' ? this.#accounts : this.#finals[this.finalNumber]
    return accounts?.get(getAddress(address)) ?? null
  }

  fee(kind: 'Transfer' | 'ChangePubKey', to: string): bigint {
    if (kind === 'ChangePubKey') return FEES.ChangePubKey * this.feeTimes
    return (this.account(to) ? FEES.Transfer : FEES.TransferToNew) * this.feeTimes
  }

  /** An account's entries, newest first: pending ones, then block by block. */
  pastOf(address: string): Entry[] {
    return (this.#past.get(getAddress(address)) ?? []).toReversed()
  }

  async submit(posted: Posted): Promise<string> {
    if (this.isClosed) throw new Refused(DISABLED, 'L2 transactions are disabled.')
    if (!isWellFormed(posted)) throw new Refused(REFUSED, 'Tx is incorrect')
    const { signature, ethAuthData: _auth, ...op } = posted.tx
    const hash = this.#named(op)
    const sender = getAddress(senderOf(op))
    const known = this.entries.get(hash)
    if (known && known.failReason === null)
      throw new Refused(REFUSED, `Tx is already ${known.block === null ? 'in the mempool' : 'executed'}`)
    const key = musigKey(op, signature)
    if (key === null) throw new Refused(REFUSED, 'Tx is incorrect')
    if ((await ethereumSigner(posted)) !== sender) throw new Refused(REFUSED, 'Eth signature is incorrect')
    const account = this.account(sender)
    if (account?.id !== op.accountId) throw new Refused(REFUSED, 'Tx is incorrect')
    if (op.type === 'ChangePubKey' ? key !== op.newPkHash : key !== this.#keyToCome(sender, account)) {
      throw new Refused(REFUSED, 'Tx is incorrect')
    }
    if (op.type === 'Transfer' && getAddress(op.to) === ZERO) throw new Refused(REFUSED, 'Tx is incorrect')
    if (op.nonce < account.nonce) throw new Refused(REFUSED, 'Tx nonce is too low.')
    const least = this.fee(op.type, op.type === 'Transfer' ? op.to : sender)
    if (BigInt(op.fee) < least) throw new Refused(REFUSED, 'Transaction fee is too low')
    const entry: Entry = { hash, op, block: null, failReason: null, createdAt: this.#now() }
    this.entries.set(hash, entry)
    this.#queue.push(entry)
    this.#list(entry)
    return hash
  }

  /** Adds a deposit from Ethereum, in a separate block. */
  deposit(to: string, units: bigint): void {
    const hash = `0x${createHash('sha256')
      .update(`${this.plan.name} deposit ${++this.#deposits}`)
      .digest('hex')}`
    const op: DepositOp = {
      type: 'Deposit',
      from: getAddress(to),
      to: getAddress(to),
      tokenId: 0,
      amount: units.toString(),
    }
    this.#creditable(to).units += units
    const entry: Entry = { hash, op, block: this.head.number + 1, failReason: null, createdAt: this.#now() }
    this.entries.set(hash, entry)
    this.#list(entry)
    this.mine(1)
  }

  mine(blocks: number): void {
    for (let made = 0; made < blocks; made++) {
      const number = this.blocks.length
      const executed = this.#execute(number)
      const before = this.blocks.at(-1)?.root ?? this.plan.name
      const root = createHash('sha256')
        .update([before, number, ...executed].join())
        .digest('hex')
      this.blocks.push({ number, root: `sync-bl:${root}`, time: this.#now() })
      this.#finals.push(new Map([...this.#accounts].map(([address, account]) => [address, { ...account }])))
      // Only states that a lookup of final data may still request are kept.
      if (number > this.plan.finalDepth) this.#finals[number - this.plan.finalDepth - 1] = new Map()
    }
  }

  /**
   * Executes pending transactions, each account's nonces in order. One that cannot be executed now is rejected, and may
   * be sent again.
   */
  #execute(block: number): string[] {
    const executed: string[] = []
    for (let next = this.#nextReady(); next; next = this.#nextReady()) {
      this.#queue.splice(this.#queue.indexOf(next), 1)
      const failReason = this.rejections > 0 ? 'rejected on demand' : this.#apply(next.op as Op)
      if (this.rejections > 0) this.rejections -= 1
      next.failReason = failReason
      if (failReason !== null) continue
      next.block = block
      executed.push(next.hash)
      this.#list(next)
    }
    return executed
  }

  #nextReady(): Entry | undefined {
    return this.#queue.find(({ op }) => (op as Op).nonce <= (this.account(senderOf(op as Op))?.nonce ?? 0))
  }

  /** Applies an operation; returns why it cannot be executed, null if it was. */
  #apply(op: Op): string | null {
    const sender = this.account(senderOf(op))
    const now = this.#now().getTime() / 1000
    if (!sender || op.nonce !== sender.nonce) return 'Nonce mismatch'
    if (now < op.validFrom || now > op.validUntil) return 'The transaction is not valid at this moment'
    const cost = BigInt(op.fee) + (op.type === 'Transfer' ? BigInt(op.amount) : 0n)
    if (op.type === 'Transfer' && op.token !== 0) return 'Token does not exist'
    if (sender.units < cost) return 'Not enough balance'
    if (op.type === 'Transfer' && sender.keyHash === LOCKED) return 'Account is locked'
    sender.nonce += 1
    sender.units -= cost
    if (op.type === 'ChangePubKey') sender.keyHash = op.newPkHash
    else this.#creditable(op.to).units += BigInt(op.amount)
    return null
  }

  /** The key that the account has, or will have after pending transactions. */
  #keyToCome(sender: string, { keyHash }: Account): string {
    const waiting = this.#queue.findLast(({ op }) => op.type === 'ChangePubKey' && getAddress(op.account) === sender)
    return waiting?.op.type === 'ChangePubKey' ? waiting.op.newPkHash : keyHash
  }

  #creditable(address: string): Account {
    const name = getAddress(address)
    const found = this.#accounts.get(name) ?? { id: this.#accounts.size + 1, nonce: 0, keyHash: LOCKED, units: 0n }
    this.#accounts.set(name, found)
    return found
  }

  /** Adds an entry to the history of every account involved; an executed entry is moved from the pending ones. */
  #list(entry: Entry): void {
    const { op } = entry
    const concerned = op.type === 'ChangePubKey' ? [op.account] : [(op as TransferOp | DepositOp).from, op.to]
    for (const address of new Set(concerned.map((one) => getAddress(one)))) {
      const others = (this.#past.get(address) ?? []).filter((other) => other !== entry && other.hash !== entry.hash)
      const waiting = entry.block === null ? others.length : others.findIndex(({ block }) => block === null)
      others.splice(waiting < 0 ? others.length : waiting, 0, entry)
      this.#past.set(address, others)
    }
  }

  #named(op: Op): string {
    try {
      return nameOf(op)
    } catch {
      throw new Refused(REFUSED, 'Tx is incorrect')
    }
  }

  #now(): Date {
    return new Date(Date.now() + this.skewMs)
  }
}
