/**
 * One local chain: a mempool and blocks with real ids, roots and signatures, of which the newest can be reverted. A
 * double of java-tron: `rules.ts` validates, `vm.ts` runs contracts.
 */
import type { Hex } from 'viem'
import { sign } from 'viem/accounts'
import { type Executed, execute } from './execute.ts'
import { type ChainPlan, setUp } from './genesis.ts'
import { encode, HEADER, sha256, TRANSACTION, type Tree } from './messages.ts'
import { DAY_MS, FREE_BANDWIDTH, judge, Rejected, type World } from './rules.ts'
import { type LocalTransaction, readTransaction } from './transaction.ts'
import { balanceSlot, openVm, type Vm } from './vm.ts'

export interface LocalBlock {
  number: number
  id: string
  parent: string
  time: number
  root: string
  signature: string
  transactions: Executed[]
}

interface Snapshot {
  vm: Hex
  /** Accounts that ever received coins, even if they are empty now. */
  accounts: Set<string>
  bandwidth: Map<string, number>
}

interface Funding {
  token: string | null
  address: string
  units: bigint
  at: number
}

/** The block interval by the chain's clock. */
const SLOT_MS = 3_000
/** The interval of automatic blocks, which follow our own clock, so that an idle chain does not run ahead of it. */
const IDLE_SLOT_MS = 1_000
/** A block is solid once this many witnesses have built on it. */
const SOLID_DEPTH = 19
const POOL_MS = 60_000
const MAX_SNAPSHOTS = 64
const REFERENCES = 65_536
const VERSION = 36
/** A test key; it is not checked against the chain's witnesses. */
const WITNESS_KEY = `0x${'17'.repeat(32)}` as const
const WITNESS = '412dc45d1a1c1d1e1f202122232425262728292a2b'

export class LocalChain {
  readonly blocks: LocalBlock[] = []
  readonly pool = new Map<string, { transaction: LocalTransaction; at: number }>()
  readonly vm: Vm
  automine = true
  #landed = new Map<string, { block: LocalBlock; executed: Executed }>()
  #accounts = new Set<string>()
  #bandwidth = new Map<string, number>()
  #snapshots: Snapshot[] = []
  #fundings: Funding[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  static async open(plan: ChainPlan): Promise<LocalChain> {
    const chain = new LocalChain(await openVm())
    // The chain starts in the past, so that enough blocks for a solid one have already passed.
    const time = Date.now() - (SOLID_DEPTH + 1) * SLOT_MS
    chain.blocks.push({ number: 0, id: plan.genesis, parent: '', time, root: '', signature: '', transactions: [] })
    await setUp(chain.vm, plan)
    for (const { address, units, token } of plan.fundings) await chain.fund(token, address, BigInt(units))
    while (chain.head.time < Date.now()) await chain.#makeBlock(SLOT_MS, chain.head.time + SLOT_MS)
    chain.mineEvery(plan.blockMs)
    return chain
  }

  private constructor(vm: Vm) {
    this.vm = vm
  }

  get head(): LocalBlock {
    const newest = this.blocks.at(-1)
    if (!newest) throw new Error('the chain has no block')
    return newest
  }

  get solid(): LocalBlock {
    return this.blocks[Math.max(0, this.head.number - SOLID_DEPTH)] ?? this.head
  }

  landed(id: string) {
    return this.#landed.get(id) ?? null
  }

  /** Accepts a transaction into the mempool; throws `Rejected`. */
  submit(bytes: Buffer): Promise<string> {
    return this.inTurn(async () => {
      const transaction = read(bytes)
      const { id } = transaction
      if (this.#landed.has(id) || this.pool.has(id)) throw new Rejected('DUP_TRANSACTION_ERROR', 'Dup transaction.')
      await judge(transaction, this.#world())
      this.pool.set(id, { transaction, at: Date.now() })
      if (this.automine) await this.#makeBlock(SLOT_MS)
      return id
    })
  }

  mine(blocks: number): Promise<void> {
    return this.inTurn(async () => {
      for (let made = 0; made < blocks; made++) await this.#makeBlock(SLOT_MS)
    })
  }

  /** Advances the clock without a block, as if witnesses were offline. */
  skip(ms: number): Promise<void> {
    return this.inTurn(() => this.#makeBlock(ms))
  }

  mineEvery(ms: number): void {
    clearTimeout(this.#timer)
    if (ms === 0) return
    const again = () => {
      this.#timer = setTimeout(() => this.inTurn(() => this.#makeBlock(IDLE_SLOT_MS)).then(again, again), ms)
    }
    again()
  }

  reorg(depth: number): Promise<void> {
    return this.inTurn(async () => {
      const fork = this.head.number - depth
      if (fork < this.solid.number) throw new RangeError(`cannot take back ${depth} blocks: solid ones stay`)
      const snapshot = this.#snapshots.at(-depth)
      if (!snapshot) throw new RangeError(`cannot take back ${depth} blocks`)
      await this.vm.revert(snapshot.vm)
      this.#snapshots = this.#snapshots.slice(0, -depth)
      this.#accounts = new Set(snapshot.accounts)
      this.#bandwidth = new Map(snapshot.bandwidth)
      for (const { transactions } of this.blocks.splice(fork + 1)) {
        for (const { transaction } of transactions) this.#landed.delete(transaction.id)
      }
      this.pool.clear()
      const lost = this.#fundings.filter(({ at }) => at > fork)
      this.#fundings = this.#fundings.filter(({ at }) => at <= fork)
      // The new blocks have other timestamps, so other ids.
      for (let made = 0; made <= depth; made++) await this.#makeBlock(2 * SLOT_MS)
      for (const { token, address, units } of lost) await this.#fund(token, address, units)
    })
  }

  /** Mints base units without a transaction. The address has 42 digits. */
  fund(token: string | null, address: string, units: bigint): Promise<void> {
    return this.inTurn(() => this.#fund(token, address, units))
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  exists(address: string): Promise<boolean> {
    return this.#world().exists(address)
  }

  async #fund(token: string | null, address: string, units: bigint): Promise<void> {
    this.#fundings.push({ token, address, units, at: this.head.number })
    const at = evm(address)
    if (token === null) {
      this.#accounts.add(address)
      await this.vm.setBalance(at, (await this.vm.balance(at)) + units)
      return
    }
    const slot = balanceSlot(at)
    const before = BigInt(await this.vm.storage(evm(token), slot))
    await this.vm.setStorage(evm(token), slot, before + units)
  }

  #world(): World {
    const newest = this.head
    return {
      parentTime: newest.time,
      referenceHash: (lastBytes) => {
        for (let at = newest.number; at >= 0 && at > newest.number - REFERENCES; at--) {
          const id = this.blocks[at]?.id ?? ''
          if (id.slice(12, 16) === lastBytes) return id.slice(16, 32)
        }
        return null
      },
      balance: (address) => this.vm.balance(evm(address)),
      exists: async (address) =>
        this.#accounts.has(address) ||
        (await this.vm.balance(evm(address))) > 0n ||
        (await this.vm.codeAt(evm(address))) !== '0x',
      isContract: async (address) => (await this.vm.codeAt(evm(address))) !== '0x',
      freeBandwidth: (address) => FREE_BANDWIDTH - (this.#bandwidth.get(this.#today(address)) ?? 0),
    }
  }

  /** The account's key of today: the free allowance is renewed daily. */
  #today(address: string): string {
    return `${address} ${Math.floor(this.head.time / DAY_MS)}`
  }

  async #makeBlock(slotMs: number, time = Math.max(this.head.time + slotMs, Date.now())): Promise<void> {
    const vm = await this.vm.snapshot()
    this.#snapshots.push({ vm, accounts: new Set(this.#accounts), bandwidth: new Map(this.#bandwidth) })
    this.#snapshots = this.#snapshots.slice(-MAX_SNAPSHOTS)
    const parent = this.head
    const transactions: Executed[] = []
    for (const { transaction, at } of [...this.pool.values()]) {
      this.pool.delete(transaction.id)
      if (Date.now() - at > POOL_MS) continue
      const charge = await judge(transaction, this.#world()).catch(() => null)
      if (!charge) continue
      const executed = await execute(this.vm, transaction, charge)
      transactions.push(executed)
      const today = this.#today(transaction.owner)
      this.#bandwidth.set(today, (this.#bandwidth.get(today) ?? 0) + charge.netUsage)
      for (const address of executed.touched) this.#accounts.add(address)
    }
    const block = await sealBlock(parent, time, transactions)
    this.blocks.push(block)
    for (const executed of transactions) this.#landed.set(executed.transaction.id, { block, executed })
  }
}

function read(bytes: Buffer): LocalTransaction {
  try {
    return readTransaction(bytes)
  } catch (error) {
    throw new Rejected('OTHER_ERROR', String(error))
  }
}

async function sealBlock(parent: LocalBlock, time: number, transactions: Executed[]): Promise<LocalBlock> {
  const number = parent.number + 1
  const root = merkle(transactions.map(({ transaction, result }) => leaf(transaction, result))).toString('hex')
  const hash = sha256(encode(HEADER, headerTree({ number, parent: parent.id, time, root })))
  const id = number.toString(16).padStart(16, '0') + hash.toString('hex').slice(16)
  const { r, s, yParity = 0 } = await sign({ hash: `0x${hash.toString('hex')}`, privateKey: WITNESS_KEY })
  const signature = `${r.slice(2)}${s.slice(2)}0${yParity}`
  return { number, id, parent: parent.id, time, root, signature, transactions }
}

export function headerTree({
  number,
  parent,
  time,
  root,
}: Pick<LocalBlock, 'number' | 'parent' | 'time' | 'root'>): Tree {
  return {
    timestamp: BigInt(time),
    txTrieRoot: Buffer.from(root, 'hex'),
    parentHash: Buffer.from(parent, 'hex'),
    number: BigInt(number),
    witness_address: Buffer.from(WITNESS, 'hex'),
    version: BigInt(VERSION),
  }
}

const RESULT_NUMBERS: Readonly<Record<string, bigint>> = { SUCCESS: 1n, REVERT: 2n, OUT_OF_ENERGY: 10n }

function leaf({ raw, signatures }: LocalTransaction, result: string): Buffer {
  const ret = [{ contractRet: RESULT_NUMBERS[result] ?? 0n }]
  return sha256(encode(TRANSACTION, { raw_data: raw, signature: signatures, ret }))
}

function merkle(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return Buffer.alloc(32)
  if (leaves.length === 1) return leaves[0] ?? Buffer.alloc(32)
  const above: Buffer[] = []
  for (let at = 0; at < leaves.length; at += 2) {
    const pair = leaves.slice(at, at + 2)
    above.push(pair.length === 2 ? sha256(Buffer.concat(pair)) : (pair[0] ?? Buffer.alloc(32)))
  }
  return merkle(above)
}

/** The 20 bytes that contracts know. */
export function evm(address: string): Hex {
  return `0x${address.slice(2)}`
}
