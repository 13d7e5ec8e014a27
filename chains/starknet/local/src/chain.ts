/**
 * One local chain: a mempool with a sequencer's rules, blocks on demand and by the clock, finality some blocks behind,
 * and reorgs on demand above it. A double of the network, not its software.
 */
import { createHash } from 'node:crypto'
import { RpcError } from '@causeway/devnet/kit'
import {
  balanceCell,
  type Contract,
  deployerContract,
  type Emitted,
  hex,
  Revert,
  tokenContract,
  transferEvent,
  watchdogContract,
} from './contracts.ts'
import { callsIn, type Part, type Ran, run } from './execution.ts'
import { Draft, Ledger } from './ledger.ts'
import type { ChainPlan, Layout } from './plan.ts'
import { isSigned, keyBehind, readSent, type Sent, type Wire } from './signature-checks.ts'

export interface Landed {
  hash: string
  type: string
  wire: Wire
  events: Emitted[]
  reverted: string | null
  fee: bigint
  gas: { l2: bigint; data: bigint }
  block: Block
}

export interface Block {
  number: number
  hash: string
  parentHash: string
  time: number
  prices: { l1Gas: bigint; l1DataGas: bigint; l2Gas: bigint }
  transactions: Landed[]
}

/** Errors of the specification, by their numbers. */
const refuse = {
  nonce: (why: string) => new RpcError(52, 'Invalid transaction nonce', why),
  fee: () => new RpcError(53, "The transaction's resources don't cover validation or the minimal transaction fee"),
  balance: () => new RpcError(54, "Account balance is smaller than the transaction's maximal fee"),
  validation: (why: string) => new RpcError(55, 'Account validation failed', why),
  known: () => new RpcError(59, 'A transaction with the same hash already exists in the mempool'),
  invalid: (why: string) => new RpcError(-32602, 'Invalid params', why),
}

const SEQUENCER = 0x1176a1bd84444c89232ec27754698e5d2e7e1a7f1539f12027f28b23ec9f3d8n
const DEPLOYER = 0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125n
/** How far a nonce may be ahead of the account's. */
const NONCE_GAP = 200n

export class LocalChain {
  readonly plan: ChainPlan
  readonly blocks: Block[] = []
  readonly ledger = new Ledger()
  readonly contracts = new Map<bigint, Contract>()
  readonly landed = new Map<string, Landed>()
  /** Pending transactions by sender and nonce. */
  readonly waiting = new Map<string, Sent>()
  readonly layouts = new Map<bigint, Layout>()
  readonly blocked = new Set<string>()
  readonly feeToken: bigint
  prices: Block['prices']
  /** The newest block that counts as accepted on L1. */
  final = 0
  #forks = 0
  #counter = 0

  constructor(plan: ChainPlan, more?: (chain: LocalChain) => void) {
    this.plan = plan
    this.feeToken = BigInt(plan.feeToken)
    const { l1Gas, l1DataGas, l2Gas } = plan.prices
    this.prices = { l1Gas: BigInt(l1Gas), l1DataGas: BigInt(l1DataGas), l2Gas: BigInt(l2Gas) }
    for (const { contract, layout } of plan.tokens) this.#addToken(BigInt(contract), layout)
    if (plan.watchdog !== null) this.contracts.set(BigInt(plan.watchdog), watchdogContract)
    this.contracts.set(DEPLOYER, deployerContract(plan.accounts))
    for (const { address, publicKey } of plan.people) {
      this.#deployed(BigInt(address), BigInt(publicKey))
      for (const [i, { contract }] of plan.tokens.entries()) {
        this.ledger.write(balanceCell(BigInt(contract), BigInt(address)), BigInt(plan.riches[i] ?? '0'), 0)
      }
    }
    // The treasury's key is unknown: its first signature reveals it.
    if (plan.treasury !== null) this.#deployed(BigInt(plan.treasury), UNKNOWN_KEY)
    more?.(this)
    this.#append([])
  }

  get head(): Block {
    const head = this.blocks.at(-1)
    if (!head) throw new Error('a chain has a block')
    return head
  }

  cell(name: string, block = this.head.number): bigint {
    return this.ledger.at(name, block)
  }

  /** Accepts a transaction into the mempool, or throws why not, like a sequencer's gateway. */
  add(wire: Wire): Sent {
    const sent = this.#read(wire)
    const hash = hex(sent.hash)
    const next = this.cell(`nonce ${sent.sender}`)
    const place = `${sent.sender} ${sent.nonce}`
    const before = this.waiting.get(place)
    if (before?.hash === sent.hash) throw refuse.known()
    if (sent.nonce < next || this.landed.has(hash))
      throw refuse.nonce(`Account nonce: ${hex(next)}; got: ${hex(sent.nonce)}.`)
    if (sent.nonce > next + NONCE_GAP) throw refuse.nonce('the nonce is too far ahead')
    this.#validate(sent)
    if (sent.bounds.l2_gas.max_price_per_unit < this.prices.l2Gas) throw refuse.fee()
    if (sent.bounds.l1_data_gas.max_price_per_unit < this.prices.l1DataGas) throw refuse.fee()
    if (ceilingOf(sent) > this.cell(balanceCell(this.feeToken, sent.sender))) throw refuse.balance()
    if (before && !displaces(sent, before))
      throw refuse.nonce('a transaction with this nonce waits, and offers as much')
    this.waiting.set(place, sent)
    return sent
  }

  #read(wire: Wire): Sent {
    try {
      return readSent(this.plan.chainId, wire)
    } catch (error) {
      throw refuse.invalid(String(error))
    }
  }

  #validate(sent: Sent): void {
    if (sent.type === 'DEPLOY_ACCOUNT') {
      const rule = this.plan.accounts
      if (BigInt(String(sent.wire.class_hash)) !== BigInt(rule.classHash))
        throw refuse.validation('the class is not declared')
      const key = keyBehind(rule, sent.sender, sent.hash, sent.signature)
      if (key === null) throw refuse.validation('the signature is not valid')
      return
    }
    if (!this.isSignedBy(sent.sender, sent.hash, sent.signature)) throw refuse.validation('the signature is not valid')
  }

  isSignedBy(account: bigint, digest: bigint, signature: readonly bigint[]): boolean {
    const key = this.cell(`key ${account}`)
    if (key !== UNKNOWN_KEY) return key !== 0n && isSigned(key, digest, signature)
    const found = keyBehind(this.plan.accounts, account, digest, signature)
    if (found === null || !isSigned(found, digest, signature)) return false
    this.ledger.write(`key ${account}`, found, 0)
    return true
  }

  /** Mines one block with all transactions that are next for their sender. */
  mine(): Block {
    const ready: { sent: Sent; ran: Ran; fee: bigint }[] = []
    const draft = new Draft((name) => this.cell(name))
    for (let isMore = true; isMore; ) {
      isMore = false
      for (const [place, sent] of this.waiting) {
        if (sent.nonce !== draft.get(`nonce ${sent.sender}`) || !this.#affords(draft, sent)) continue
        ready.push({ sent, ...this.#execute(draft, sent) })
        this.waiting.delete(place)
        isMore = true
      }
    }
    const block = this.#append(
      ready.map(({ sent, ran, fee }) => ({
        ...{ hash: hex(sent.hash), type: sent.type, wire: sent.wire, fee },
        ...{ events: ran.events, reverted: ran.reverted, gas: ran.gas },
      })),
    )
    draft.keep((name, value) => this.ledger.write(name, value, block.number))
    this.#forgetUsed()
    return block
  }

  /** Mines an unsigned transaction: a deposit from L1, or calls of several accounts in a bundle. */
  place(type: string, wire: Wire, parts: readonly Part[], minted: Minted | null = null): Landed {
    const draft = new Draft((name) => this.cell(name))
    const { events, reverted, gas } = run(this.contracts, draft, parts, this.plan.gas)
    if (reverted !== null) throw new RpcError(41, reverted)
    if (minted) {
      const { token, to, units } = minted
      draft.set(balanceCell(token, to), draft.get(balanceCell(token, to)) + units)
      events.push({ from_address: hex(token), ...transferEvent(this.layouts.get(token) ?? 'new', 0n, to, units) })
    }
    const hash = this.#someHash()
    const block = this.#append([{ hash, type, wire, fee: 0n, events, reverted: null, gas }])
    draft.keep((name, value) => this.ledger.write(name, value, block.number))
    const [only] = block.transactions
    if (!only) throw new Error('a block with one transaction has it')
    return only
  }

  /**
   * Replaces the newest `depth` blocks by `depth` + 1 empty ones. Their transactions are dropped, or become pending
   * again.
   */
  reorg(depth: number, keeps = false): void {
    const fork = this.head.number - depth
    if (fork < this.final) throw new RpcError(-32602, `blocks up to ${this.final} are accepted below`)
    const dropped = this.blocks.splice(fork + 1)
    this.ledger.forgetAbove(fork)
    this.#forks += 1
    for (const { transactions } of dropped) {
      for (const { hash, wire } of transactions) {
        this.landed.delete(hash)
        if (keeps && wire.signature) this.#rejoin(wire)
      }
    }
    for (let blocks = 0; blocks <= depth; blocks++) this.#append([])
  }

  #rejoin(wire: Wire): void {
    const sent = this.#read(wire)
    this.waiting.set(`${sent.sender} ${sent.nonce}`, sent)
  }

  #forgetUsed(): void {
    for (const [place, { sender, nonce }] of this.waiting) {
      if (nonce < this.cell(`nonce ${sender}`)) this.waiting.delete(place)
    }
  }

  #affords(draft: Draft, sent: Sent): boolean {
    const { l2_gas, l1_data_gas } = sent.bounds
    const covers =
      l2_gas.max_price_per_unit >= this.prices.l2Gas && l1_data_gas.max_price_per_unit >= this.prices.l1DataGas
    return covers && ceilingOf(sent) <= draft.get(balanceCell(this.feeToken, sent.sender))
  }

  #execute(draft: Draft, sent: Sent): { ran: Ran; fee: bigint } {
    const { sender, nonce } = sent
    draft.set(`nonce ${sender}`, nonce + 1n)
    if (sent.type === 'DEPLOY_ACCOUNT') {
      draft.set(`class ${sender}`, BigInt(this.plan.accounts.classHash))
      draft.set(`key ${sender}`, keyBehind(this.plan.accounts, sender, sent.hash, sent.signature) ?? 0n)
    }
    const trial = new Draft((name) => draft.get(name))
    let ran = this.#runCalls(trial, sent)
    const fee = this.feeOf(ran, sent.tip)
    const tooMuch = ran.gas.l2 > sent.bounds.l2_gas.max_amount || ran.gas.data > sent.bounds.l1_data_gas.max_amount
    const isBroke = trial.get(balanceCell(this.feeToken, sender)) < fee
    if (ran.reverted === null && (tooMuch || isBroke)) {
      ran = { ...ran, events: [], reverted: tooMuch ? 'Insufficient max L2Gas' : 'Insufficient fee token balance' }
    }
    if (ran.reverted === null) trial.keep((name, value) => draft.set(name, value))
    const paid = tooMuch ? ceilingOf(sent) : fee
    const [own, theirs] = [balanceCell(this.feeToken, sender), balanceCell(this.feeToken, SEQUENCER)]
    draft.set(own, draft.get(own) - paid)
    draft.set(theirs, draft.get(theirs) + paid)
    const layout = this.layouts.get(this.feeToken) ?? 'new'
    const charged = { from_address: hex(this.feeToken), ...transferEvent(layout, sender, SEQUENCER, paid) }
    return { ran: { ...ran, events: [...ran.events, charged] }, fee: paid }
  }

  #runCalls(cells: Draft, sent: Sent): Ran {
    if (sent.type === 'DEPLOY_ACCOUNT') return run(this.contracts, cells, [], this.plan.gas)
    try {
      return run(this.contracts, cells, [{ as: sent.sender, calls: callsIn(sent.calldata) }], this.plan.gas)
    } catch (error) {
      if (!(error instanceof Revert)) throw error
      return { ...run(this.contracts, cells, [], this.plan.gas), reverted: error.message }
    }
  }

  /** Simulates a transaction on the newest block. */
  simulate(sent: Sent): Ran {
    return this.#runCalls(new Draft((name) => this.cell(name)), sent)
  }

  readUnsigned(wire: Wire): Sent {
    // Clients estimate with a query version, which can never be sent.
    return this.#read({ ...wire, version: '0x3', signature: [] })
  }

  feeOf({ gas }: Ran, tip: bigint): bigint {
    return gas.l2 * (this.prices.l2Gas + tip) + gas.data * this.prices.l1DataGas
  }

  #append(transactions: Omit<Landed, 'block'>[]): Block {
    const number = this.blocks.length
    const parentHash = this.blocks.at(-1)?.hash ?? '0x0'
    const hash = feltOf(
      `${this.plan.network} ${number} ${this.#forks} ${parentHash} ${transactions.map((one) => one.hash)}`,
    )
    const block: Block = {
      ...{ number, hash, parentHash, time: Math.floor(Date.now() / 1_000), prices: this.prices },
      transactions: [],
    }
    for (const one of transactions) {
      const landed = { ...one, block }
      block.transactions.push(landed)
      this.landed.set(one.hash, landed)
    }
    this.blocks.push(block)
    this.final = Math.max(this.final, number - this.plan.finalDepth)
    return block
  }

  #someHash(): string {
    return feltOf(`${this.plan.network} placed ${this.#forks} ${this.#counter++}`)
  }

  #addToken(contract: bigint, layout: Layout): void {
    this.layouts.set(contract, layout)
    const options = {
      layout: () => this.layouts.get(contract) ?? layout,
      decimals: 18n,
      isBlocked: (address: bigint) => this.blocked.has(`${contract} ${address}`),
    }
    this.contracts.set(contract, tokenContract(options))
  }

  #deployed(address: bigint, publicKey: bigint): void {
    this.ledger.write(`key ${address}`, publicKey, 0)
    this.ledger.write(`class ${address}`, BigInt(this.plan.accounts.classHash), 0)
  }
}

const UNKNOWN_KEY = 1n

interface Minted {
  token: bigint
  to: bigint
  units: bigint
}

function ceilingOf({ bounds: { l1_gas, l2_gas, l1_data_gas }, tip }: Sent): bigint {
  const all = [l1_gas, l2_gas, l1_data_gas].reduce((sum, one) => sum + one.max_amount * one.max_price_per_unit, 0n)
  return all + l2_gas.max_amount * tip
}

/** Whether a transaction may replace another one: both prices must be a tenth higher, as the mempool requires. */
function displaces(sent: Sent, before: Sent): boolean {
  const isMore = (now: bigint, old: bigint) => now * 10n >= old * 11n
  const price = isMore(sent.bounds.l2_gas.max_price_per_unit, before.bounds.l2_gas.max_price_per_unit)
  return price && isMore(sent.tip, before.tip)
}

function feltOf(text: string): string {
  return hex(BigInt(`0x${createHash('sha256').update(text).digest('hex')}`) >> 8n)
}
