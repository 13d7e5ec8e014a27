/**
 * The simulated chain: blocks with parent hashes, a mempool, and mining, reorgs and block lists on a test's command. It
 * has no clock and no randomness: the same calls give the same hashes. Adapters use it only through `node.ts`; tests
 * control it directly.
 */
import { type Address, Bug, type TxHash } from '@causeway/core'
import { sha256 } from '../../src/address.ts'
import type { Answer, Block, Landed } from '../../src/node/node.ts'
import { replacementFee } from '../../src/paying/fees.ts'
import { decode, type Move, type SealedTransaction } from '../../src/transaction.ts'
import { isAuthorised } from './authority.ts'
import { apply, balanceKey, type Change, execute, nonceKey, type Outcome, read, type State, undo } from './state.ts'

/** Limit of the mempool: transactions that are never mined must not fill the memory of a long simulation. */
const MEMPOOL_MAX = 10_000

/** Default fee of a move: a round number that is easy to recognise in a balance. */
const FEE_PER_MOVE = 1_000n

export function createSimulatedChain(options: { network: string; feePerMove?: bigint }): SimulatedChain {
  return new SimulatedChain(options.network, options.feePerMove ?? FEE_PER_MOVE)
}

export class SimulatedChain {
  readonly network: string
  /** The fee that a block demands per move. A transaction that offers less stays in the mempool. */
  feePerMove: bigint
  /** A blocked account can neither send nor receive: transactions that try revert. */
  readonly blocked = new Set<Address>()
  readonly mempool: SealedTransaction[] = []
  readonly #blocks: Mined[] = []
  readonly #state: State = new Map()
  readonly #byHash = new Map<TxHash, { height: number; landed: Landed }>()
  readonly #bySlot = new Map<string, TxHash>()
  /** Counts abandoned branches, so that two blocks of one height never share a hash. */
  #branch = 0

  constructor(network: string, feePerMove: bigint) {
    this.network = network
    this.feePerMove = feePerMove
    this.#append([])
  }

  get height(): number {
    return this.#blocks.length - 1
  }

  blockAt(height: number): Block | undefined {
    return this.#blocks[height]
  }

  /** Mints tokens outside any block, so that no reorg removes them. */
  mint(owner: Address, contract: string | null, units: bigint): void {
    apply(this.#state, [{ key: balanceKey(owner, contract), delta: units }])
  }

  /** The balance as of the block at `height`; minted amounts count as older than every block. */
  balance(owner: Address, contract: string | null, height = this.height): bigint {
    return this.#readAt(balanceKey(owner, contract), height)
  }

  /** How many transactions of the account were in blocks up to `height`, which is the next free nonce. */
  nonce(account: Address, height = this.height): bigint {
    return this.#readAt(nonceKey(account), height)
  }

  find(hash: TxHash): { height: number; landed: Landed } | undefined {
    return this.#byHash.get(hash)
  }

  /** The transaction that consumed this nonce. */
  usedBy(account: Address, nonce: bigint): TxHash | undefined {
    return this.#bySlot.get(slotKey({ account, nonce }))
  }

  submit(bytes: string): Answer {
    const transaction = decode(bytes)
    if (!transaction || transaction.network !== this.network) return 'malformed'
    const { hash, account, nonce, fee } = transaction
    if (this.find(hash) || this.mempool.some((other) => other.hash === hash)) return 'known'
    if (!isAuthorised(transaction)) return 'unauthorised'
    if (nonce < this.nonce(account)) return 'slot used'
    if (fee < 0n || this.balance(account, null) < fee) return 'no funds for the fee'
    const rival = this.mempool.find((other) => slotKey(other) === slotKey(transaction))
    if (rival && fee < replacementFee(rival.fee)) return 'underpriced'
    if (rival) this.evict(rival.hash)
    if (this.mempool.length >= MEMPOOL_MAX) return 'mempool full'
    this.mempool.push(transaction)
    return 'accepted'
  }

  /** Drops a transaction from the mempool. Its bytes can be sent again. */
  evict(hash: TxHash): void {
    const position = this.mempool.findIndex((other) => other.hash === hash)
    if (position >= 0) this.mempool.splice(position, 1)
  }

  /**
   * Changes the transfers of a pending transaction but not its hash, like a contract call that depends on the state.
   */
  alter(hash: TxHash, moves: readonly Move[]): void {
    const position = this.mempool.findIndex((other) => other.hash === hash)
    const transaction = this.mempool[position]
    if (!transaction) throw new Bug('the transaction does not wait', { hash })
    this.mempool[position] = { ...transaction, moves }
  }

  mine(blocks = 1): void {
    for (let mined = 0; mined < blocks; mined++) this.#append(this.#takeMinable())
  }

  /**
   * Replaces the newest `depth` blocks by `depth` + 1 empty ones. Their transactions are dropped, or return to the
   * mempool in their old order and may be mined again.
   */
  reorg(depth: number, transactions: 'dropped' | 'returned' = 'dropped'): void {
    if (depth < 1 || depth > this.height) throw new Bug('no such reorg', { depth, height: this.height })
    const replaced = this.#blocks.splice(this.#blocks.length - depth)
    for (const block of replaced.toReversed()) this.#takeBack(block)
    this.#branch++
    for (let height = 0; height <= depth; height++) this.#append([])
    if (transactions === 'returned') {
      this.mempool.unshift(...replaced.flatMap((block) => block.transactions.map(({ transaction }) => transaction)))
    }
  }

  /** Empty blocks on top of an older block, as seen by a node on another branch. They are not part of the chain. */
  branchOff(depth: number): Block[] {
    const base = this.#blocks[this.height - depth]
    if (!base) throw new Bug('no such branch', { depth, height: this.height })
    this.#branch++
    const branch: Block[] = []
    for (let length = 0; length <= depth; length++) branch.push(this.#blockAfter(branch.at(-1) ?? base, []))
    return branch
  }

  /** Takes every transaction that pays enough, in the order of arrival and of each account's nonces. */
  #takeMinable(): (Landed & Outcome)[] {
    const taken: (Landed & Outcome)[] = []
    for (let next = this.#nextMinable(); next; next = this.#nextMinable()) {
      const outcome = execute(this.#state, next, this.blocked)
      apply(this.#state, outcome.changes)
      taken.push({ transaction: next, ...outcome })
      for (const rival of this.mempool.filter((other) => slotKey(other) === slotKey(next))) this.evict(rival.hash)
    }
    return taken
  }

  #nextMinable(): SealedTransaction | undefined {
    return this.mempool.find(
      ({ account, nonce, fee, moves }) =>
        nonce === this.nonce(account) &&
        fee >= this.feePerMove * BigInt(moves.length) &&
        this.balance(account, null) >= fee,
    )
  }

  #append(taken: (Landed & Outcome)[]): void {
    const transactions = taken.map(({ transaction, reverted }) => ({ transaction, reverted }))
    const block = this.#blockAfter(this.#blocks.at(-1), transactions)
    this.#blocks.push({ ...block, changes: taken.flatMap(({ changes }) => changes) })
    for (const landed of transactions) {
      this.#byHash.set(landed.transaction.hash, { height: Number(block.number), landed })
      this.#bySlot.set(slotKey(landed.transaction), landed.transaction.hash)
    }
  }

  #blockAfter(parent: Block | undefined, transactions: readonly Landed[]): Block {
    const number = parent ? parent.number + 1n : 0n
    const content = transactions.map(({ transaction, reverted }) => [transaction.hash, reverted])
    const hash = sha256(JSON.stringify([this.network, parent?.hash, number.toString(), this.#branch, content]))
    return { number, hash, parent: parent?.hash ?? '', transactions }
  }

  #takeBack({ transactions, changes }: Mined): void {
    undo(this.#state, changes)
    for (const { transaction } of transactions) {
      this.#byHash.delete(transaction.hash)
      this.#bySlot.delete(slotKey(transaction))
    }
  }

  #readAt(key: string, height: number): bigint {
    let value = read(this.#state, key)
    for (const { changes } of this.#blocks.slice(height + 1)) {
      for (const change of changes) if (change.key === key) value -= change.delta
    }
    return value
  }
}

interface Mined extends Block {
  changes: readonly Change[]
}

function slotKey({ account, nonce }: { account: Address; nonce: bigint }): string {
  return `${account} ${nonce}`
}
