/**
 * A double of a StarkEx operator: registered keys, vaults, one message per vault and nonce, linked batches, and
 * rollbacks on demand. It validates like an operator, with independent code; there is no proof behind it.
 */
import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import { assetOf, LINK_WORDS, linkedHash, type Request, signerOf, transferHash, wordsFor } from './codec.ts'
import { isSigned } from './curve.ts'

export interface Plan {
  instance: string
  tokens: { symbol: string; contract: string | null; quantum: string }[]
  /** Milliseconds between automatic batches; null for none. */
  batchMs: number | null
}

export interface Taken {
  id: string
  user: string
  receiver: string
  request: Request
  hash: bigint
  batch: number | null
}

export interface Batch {
  number: number
  root: string
  parent: string
  time: Date
  transfers: Taken[]
}

interface Vault {
  id: string
  key: string
  asset: string
  quanta: bigint
}

/** The operator's rejection, with its code and HTTP status. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: string
  readonly status: number
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const HOUR_MS = 3_600_000

export class Operator {
  readonly plan: Plan
  readonly batches: Batch[] = []
  readonly taken = new Map<string, Taken>()
  /** Added to the clock, in milliseconds. */
  skewMs = 0
  /** This many sends are accepted, but their answer is lost. */
  lostAnswers = 0
  /** If set, returned as the receiver's key for every transfer. */
  falseKey: string | null = null
  readonly #users = new Map<string, string>()
  readonly #vaults = new Map<string, Vault>()
  /** Amounts given to an address before it had a key, by asset. */
  readonly #waiting = new Map<string, Map<string, bigint>>()
  readonly #pending: Taken[] = []
  readonly #used = new Map<string, Taken>()
  #ids = 0
  #branch = 0

  constructor(plan: Plan) {
    this.plan = plan
    this.mine(1)
    if (plan.batchMs !== null) setInterval(() => this.mine(1), plan.batchMs).unref()
  }

  get head(): Batch {
    return this.batches[this.batches.length - 1] as Batch
  }

  keyOf(address: string): string {
    const key = this.#users.get(getAddress(address))
    if (key === undefined) throw new Refused(404, 'account_not_found', 'Account not found')
    return key
  }

  async register(given: Record<string, unknown>): Promise<void> {
    const address = getAddress(String(given.ether_key))
    const key = String(given.stark_key)
    const signature = numbers(given.stark_signature)
    const isLinked = isSigned(BigInt(key), linkedHash(address, key), signature)
    if (!isLinked || (await signerOf(LINK_WORDS, given.eth_signature)) !== address) {
      throw new Refused(400, 'bad_request_error', 'a signature does not fit')
    }
    this.link(address, key)
  }

  /** Registers a key; it never changes. */
  link(address: string, key: string): void {
    const name = getAddress(address)
    const known = this.#users.get(name)
    if (known !== undefined && known !== key) throw new Refused(409, 'account_exists', 'Account has another key')
    this.#users.set(name, key)
    for (const [asset, quanta] of this.#waiting.get(name) ?? []) this.vault(key, asset).quanta += quanta
    this.#waiting.delete(name)
  }

  /** Mints outside any batch, so that no rollback removes it. */
  fund(address: string, contract: string | null, units: bigint): void {
    const { quantum, asset } = this.#asset(contract)
    const name = getAddress(address)
    const key = this.#users.get(name)
    if (key !== undefined) {
      this.vault(key, asset).quanta += units / quantum
      return
    }
    const waiting = this.#waiting.get(name) ?? new Map<string, bigint>()
    waiting.set(asset, (waiting.get(asset) ?? 0n) + units / quantum)
    this.#waiting.set(name, waiting)
  }

  balance(address: string, contract: string | null): bigint {
    const { quantum, asset } = this.#asset(contract)
    const key = this.#users.get(getAddress(address))
    const quanta =
      key === undefined ? this.#waiting.get(getAddress(address))?.get(asset) : this.vault(key, asset).quanta
    return (quanta ?? 0n) * quantum
  }

  vault(key: string, asset: string): Vault {
    const name = `${key} ${asset}`
    const found = this.#vaults.get(name) ?? { id: `${this.#vaults.size + 1_000}`, key, asset, quanta: 0n }
    this.#vaults.set(name, found)
    return found
  }

  async submit(key: string, request: Request, ethAddress: string, ethSignature: unknown): Promise<string> {
    const user = getAddress(ethAddress)
    if (this.keyOf(user) !== key) throw new Refused(403, 'forbidden', 'the key is not that of the user')
    const hash = hashed(request)
    const sender = [...this.#vaults.values()].find(({ id }) => id === request.sender_vault_id)
    if (sender?.key !== key || sender.asset !== request.asset_id)
      throw new Refused(400, 'bad_request_error', 'another vault')
    const receiver = [...this.#vaults.values()].find(({ id }) => id === request.receiver_vault_id)
    if (receiver?.key !== request.receiver_stark_key || receiver.asset !== request.asset_id) {
      throw new Refused(400, 'bad_request_error', 'another vault of the receiver')
    }
    if (!isSigned(BigInt(key), hash, numbers(request.stark_signature))) {
      throw new Refused(400, 'bad_request_error', 'the Stark signature does not fit')
    }
    if ((await signerOf(wordsFor(hash), ethSignature)) !== user) {
      throw new Refused(401, 'unauthorized', 'the Ethereum signature does not fit')
    }
    return this.#take({ user, sender, receiver, request, hash }).id
  }

  #take(given: { user: string; sender: Vault; receiver: Vault; request: Request; hash: bigint }): Taken {
    const { user, sender, receiver, request, hash } = given
    const place = `${request.sender_vault_id} ${request.nonce}`
    const rival = this.#used.get(place)
    if (rival?.hash === hash) return rival
    if (rival) throw new Refused(400, 'nonce_already_used', 'the nonce was used')
    if (this.#isExpired(request)) throw new Refused(400, 'expired', 'the transfer has expired')
    const promised = this.#pending
      .filter(({ request: other }) => other.sender_vault_id === sender.id)
      .reduce((sum, { request: other }) => sum + BigInt(other.amount), 0n)
    const quanta = BigInt(request.amount)
    if (quanta === 0n && sender !== receiver) throw new Refused(400, 'bad_request_error', 'a transfer of nothing')
    if (sender.quanta - promised < quanta) throw new Refused(400, 'insufficient_balance', 'the vault holds too little')
    const name = [...this.#users].find(([, key]) => key === receiver.key)?.[0] ?? ''
    const taken: Taken = { id: `${++this.#ids}`, user, receiver: name, request, hash, batch: null }
    this.taken.set(taken.id, taken)
    this.#used.set(place, taken)
    this.#pending.push(taken)
    return taken
  }

  mine(batches: number): void {
    for (let made = 0; made < batches; made++) {
      const waiting = this.#pending.splice(0)
      for (const expired of waiting.filter(({ request }) => this.#isExpired(request))) this.#forget(expired)
      this.#append(waiting.filter(({ request }) => !this.#isExpired(request)))
    }
  }

  /** Rolls the newest batches back: their transfers, and pending ones, are dropped and may be sent again. */
  rollback(depth: number): void {
    if (depth < 1 || depth >= this.batches.length) throw new Refused(400, 'bad_request_error', 'no such rollback')
    for (const { transfers } of this.batches.splice(this.batches.length - depth)) {
      for (const one of transfers) {
        this.#move(one, -1n)
        this.#forget(one)
      }
    }
    for (const one of this.#pending.splice(0)) this.#forget(one)
    this.#branch += 1
    for (let height = 0; height <= depth; height++) this.#append([])
  }

  #append(transfers: Taken[]): void {
    const number = this.batches.length
    const parent = this.batches.at(-1)?.root ?? ''
    for (const one of transfers) {
      one.batch = number
      this.#move(one, 1n)
    }
    const content = [this.plan.instance, parent, number, this.#branch, ...transfers.map(({ hash }) => hash)].join()
    const root = `0x${createHash('sha256').update(content).digest('hex')}`
    this.batches.push({ number, root, parent, time: this.#now(), transfers })
  }

  #move({ request }: Taken, sign: bigint): void {
    const quanta = sign * BigInt(request.amount)
    for (const vault of this.#vaults.values()) {
      if (vault.id === request.sender_vault_id) vault.quanta -= quanta
      if (vault.id === request.receiver_vault_id) vault.quanta += quanta
    }
  }

  #forget({ id, request }: Taken): void {
    this.taken.delete(id)
    this.#used.delete(`${request.sender_vault_id} ${request.nonce}`)
  }

  /** Whether the message has expired. It expires when its expiration hour begins. */
  #isExpired({ expiration_timestamp }: Request): boolean {
    return Number(expiration_timestamp) <= this.#now().getTime() / HOUR_MS
  }

  #asset(contract: string | null): { asset: string; quantum: bigint } {
    const token = this.plan.tokens.find((one) => one.contract?.toLowerCase() === contract?.toLowerCase())
    if (!token) throw new Refused(404, 'token_not_found', 'no such token')
    return { asset: assetOf(token.contract, BigInt(token.quantum)), quantum: BigInt(token.quantum) }
  }

  #now(): Date {
    return new Date(Date.now() + this.skewMs)
  }
}

function hashed(request: Request): bigint {
  try {
    return transferHash(request)
  } catch (error) {
    throw new Refused(400, 'bad_request_error', String(error))
  }
}

function numbers(signature: unknown): { r: bigint; s: bigint } {
  const { r, s } = (signature ?? {}) as { r?: unknown; s?: unknown }
  try {
    return { r: BigInt(String(r)), s: BigInt(String(s)) }
  } catch {
    throw new Refused(400, 'bad_request_error', 'no signature')
  }
}
