/**
 * One local chain. The sandbox executes messages with TON's own virtual machine and transaction executor; this file
 * decides when. A message and its consequences are in different blocks, as on the real chain, and nothing is ever
 * reverted.
 */
import { createHash } from 'node:crypto'
import { Address, internal, type Message } from '@ton/core'
import { Blockchain, type BlockchainTransaction, createShardAccount, type SmartContract } from '@ton/sandbox'
import { MINTER_ADMIN, MINTER_CODE, mintBody, minterData } from './jetton.ts'

export interface ChainPlan {
  name: string
  zeroState: string
  /** Jetton masters that must be at these addresses. */
  masters: string[]
}

export interface Block {
  seqno: number
  /** The block's hash in base64. */
  hash: string
  time: number
  endLt: bigint
}

/** The transactions that one message has caused so far. */
interface Flow {
  transactions: AsyncIterator<BlockchainTransaction>
  /** Number of messages for the next block. */
  waiting: number
}

/** The block interval of an idle chain: depths and clocks depend on blocks. */
const IDLE_BLOCK_MS = 1_000
/** The block interval while messages are pending, so that people do not wait for the chain. */
const BUSY_BLOCK_MS = 20
const MINTER_BALANCE = 1_000_000_000n
const MINT_VALUE = 100_000_000n

export class LocalChain {
  readonly blocks: Block[] = []
  readonly zeroState: string
  /** Transactions per account (in hex), oldest first. */
  readonly #past = new Map<string, BlockchainTransaction[]>()
  readonly #blockchain: Blockchain
  #flows: Flow[] = []
  /** How far the chain's clock is ahead of ours. */
  #aheadSeconds = 0
  #turn: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  static async open(plan: ChainPlan): Promise<LocalChain> {
    const chain = new LocalChain(await Blockchain.create(), plan.zeroState)
    for (const master of plan.masters) {
      const address = Address.parse(master)
      const state = { address, code: MINTER_CODE, data: minterData(), balance: MINTER_BALANCE }
      await chain.#blockchain.setShardAccount(address, createShardAccount(state))
    }
    await chain.mine(1)
    chain.#schedule()
    return chain
  }

  private constructor(blockchain: Blockchain, zeroState: string) {
    this.#blockchain = blockchain
    this.zeroState = zeroState
  }

  get head(): Block {
    const newest = this.blocks.at(-1)
    if (!newest) throw new Error('the chain has no block yet')
    return newest
  }

  pastOf(address: Address): readonly BlockchainTransaction[] {
    return this.#past.get(address.hash.toString('hex')) ?? []
  }

  contract(address: Address): Promise<SmartContract> {
    return this.#blockchain.getContract(address)
  }

  /** Runs the message in a separate block. Throws if the account does not accept it. */
  send(message: Message): Promise<void> {
    return this.#inTurn(async () => {
      const transactions = await this.#blockchain.sendMessageIter(message, { allowParallel: true })
      await this.#makeBlock([{ transactions, waiting: 1 }])
      this.#schedule()
    })
  }

  mine(blocks: number): Promise<void> {
    return this.#inTurn(async () => {
      for (let made = 0; made < blocks; made++) {
        this.#aheadSeconds += 1
        await this.#makeBlock([])
      }
    })
  }

  /** Advances the chain's clock, in one block. */
  advance(seconds: number): Promise<void> {
    return this.#inTurn(async () => {
      this.#aheadSeconds += seconds
      await this.#makeBlock([])
    })
  }

  /** Mints nanotons without a transaction. */
  fund(address: Address, units: bigint): Promise<void> {
    return this.#inTurn(async () => {
      const contract = await this.contract(address)
      contract.balance += units
    })
  }

  async mint(master: Address, to: Address, units: bigint): Promise<void> {
    const body = mintBody(to, units)
    const { info, ...rest } = internal({ to: master, value: MINT_VALUE, bounce: true, body })
    if (info.type !== 'internal') return
    await this.send({ ...rest, info: { ...info, src: MINTER_ADMIN } })
    await this.#settled()
  }

  /** Waits until no message is pending. */
  #settled(): Promise<void> {
    return this.#inTurn(async () => {
      while (this.#flows.length > 0) await this.#makeBlock([])
    })
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const delay = this.#flows.length > 0 ? BUSY_BLOCK_MS : IDLE_BLOCK_MS
    this.#timer = setTimeout(() => {
      void this.#inTurn(() => this.#makeBlock([])).finally(() => this.#schedule())
    }, delay)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work, work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #makeBlock(fresh: Flow[]): Promise<void> {
    const time = Math.floor(Date.now() / 1_000) + this.#aheadSeconds
    this.#blockchain.now = time
    let endLt = this.blocks.at(-1)?.endLt ?? 0n
    // New external messages first: one that is refused makes no block.
    const flows = [...fresh, ...this.#flows]
    for (const flow of flows) {
      const due = flow.waiting
      flow.waiting = 0
      for (let taken = 0; taken < due; taken++) {
        const { value, done } = await flow.transactions.next()
        if (done) break
        flow.waiting += value.outMessages.values().filter(({ info }) => info.type === 'internal').length
        this.#record(value)
        if (value.lt > endLt) endLt = value.lt
      }
    }
    this.#flows = flows.filter(({ waiting }) => waiting > 0)
    const seqno = this.blocks.length
    const hash = createHash('sha256').update(`${this.zeroState} ${seqno} ${time} ${endLt}`).digest('base64')
    this.blocks.push({ seqno, hash, time, endLt })
  }

  #record(transaction: BlockchainTransaction): void {
    const account = transaction.address.toString(16).padStart(64, '0')
    this.#past.set(account, [...(this.#past.get(account) ?? []), transaction])
  }
}
