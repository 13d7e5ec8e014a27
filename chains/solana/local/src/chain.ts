/**
 * One local chain: slots and blocks around the engine. Every account change is stored with the previous value, so that
 * the state of an earlier block can be read and the newest blocks reverted.
 */

import { RpcError } from '@causeway/devnet/kit'
import { type Address, type EncodedAccount, getBase58Decoder } from '@solana/kit'
import type { Commitment } from '../../src/node/calls.ts'
import { isSignedBy } from '../../src/signature.ts'
import { type Engine, type Outcome, openEngine, type Parcel } from './engine.ts'
import type { TransactionError } from './errors.ts'
import { type TokenHolding, tokenHoldings } from './tokens.ts'

export interface DevnetBlock {
  slot: number
  hash: string
  parentSlot: number
  parentHash: string
  time: number
  transactions: DevnetTransaction[]
}

export interface DevnetTransaction {
  signature: string
  slot: number
  time: number
  parcel: Parcel
  outcome: Outcome
  fee: number
  preBalances: number[]
  postBalances: number[]
  preTokens: TokenHolding[]
  postTokens: TokenHolding[]
}

interface Change {
  slot: number
  before: ReadonlyMap<Address, EncodedAccount | null>
  /** Repeats the change after a reorg; null for transactions. Funding from outside is not a transaction. */
  again: (() => void) | null
}

/** How many blocks below the newest one a block is final: 32 votes on top, as on the real chain. */
const FINAL_LAG = 31
/** How many of the newest block hashes a transaction may name. */
const VALID_BLOCKHASHES = 150
/** Blocks to keep: about an hour; older empty blocks are dropped. */
const KEPT_BLOCKS = 10_000
const GENESIS_PARENT = '11111111111111111111111111111111'

export type DevnetChain = ReturnType<typeof openDevnetChain>

export function openDevnetChain() {
  const engine = openEngine()
  const blocks: DevnetBlock[] = []
  const transactions = new Map<string, DevnetTransaction>()
  const history = new Map<Address, string[]>()
  let changes: Change[] = []
  let waiting: DevnetTransaction[] = []
  let slot = 0

  const head = (): DevnetBlock => blocks.at(-1) ?? fail('the chain has no block')

  /** Closes the open slot: its transactions become a block. */
  function seal(): void {
    const parent = blocks.at(-1)
    const hash = engine.nextBlock(BigInt(slot + 1))
    const block = {
      ...{ slot, hash, parentSlot: parent?.slot ?? 0, parentHash: parent?.hash ?? GENESIS_PARENT },
      ...{ time: Math.floor(Date.now() / 1000), transactions: waiting },
    }
    blocks.push(block)
    if (blocks.length > KEPT_BLOCKS) blocks.shift()
    waiting = []
    slot += 1
    const final = slotAt('finalized')
    changes = changes.filter((change) => change.slot > final)
  }

  function slotAt(commitment: Commitment): number {
    if (commitment === 'processed' || commitment === 'confirmed') return head().slot
    return blocks.findLast((block) => block.slot <= head().slot - FINAL_LAG)?.slot ?? blocks[0]?.slot ?? 0
  }

  function accountAt(address: Address, commitment: Commitment): EncodedAccount | null {
    if (commitment === 'processed') return engine.account(address)
    const bound = slotAt(commitment)
    const later = changes.find((change) => change.slot > bound && change.before.has(address))
    return later ? (later.before.get(address) ?? null) : engine.account(address)
  }

  /** Changes accounts from outside, as a genesis or a faucet does. */
  function edit(addresses: readonly Address[], work: () => void): void {
    changes.push({ slot, before: snapshot(engine, addresses), again: () => edit(addresses, work) })
    work()
  }

  /** Runs the transaction in the open slot. Throws a node's error if it is rejected before that. */
  function accept(parcel: Parcel, skipPreflight: boolean): string {
    const signature = signatureOf(parcel)
    if (!isFullySigned(parcel)) throw new RpcError(-32003, 'Transaction signature verification failure')
    if (transactions.has(signature)) throw preflightError('AlreadyProcessed', [])
    if (!isTimely(parcel)) throw preflightError('BlockhashNotFound', [])
    const trial = engine.simulate(parcel, true)
    if (trial.err !== null && (!skipPreflight || typeof trial.err === 'string')) {
      throw preflightError(trial.err, trial.logs)
    }
    const { accounts } = parcel
    const before = snapshot(engine, writableOf(parcel))
    const pre = { preBalances: balances(engine, accounts), preTokens: tokenHoldings(engine, accounts) }
    const outcome = engine.run(parcel)
    const post = { postBalances: balances(engine, accounts), postTokens: tokenHoldings(engine, accounts) }
    // A transaction creates and loses nothing except its fee.
    const fee = sum(pre.preBalances) - sum(post.postBalances)
    const time = Math.floor(Date.now() / 1000)
    const landed = { signature, slot, time, parcel, outcome, fee, ...pre, ...post }
    changes.push({ slot, before, again: null })
    transactions.set(signature, landed)
    for (const account of accounts) {
      const touched = history.get(account)
      if (touched) touched.push(signature)
      else history.set(account, [signature])
    }
    waiting.push(landed)
    return signature
  }

  function isTimely(parcel: Parcel): boolean {
    const recent = blocks.slice(-VALID_BLOCKHASHES)
    return recent.some(({ hash }) => hash === parcel.lifetime) || engine.nonceOf(parcel) !== null
  }

  /** Removes the newest blocks, leaves their slots empty, and adds one more block on top of the rest. */
  function reorg(depth: number): void {
    const fork = blocks.at(-1 - depth)
    if (!fork || depth < 1 || fork.slot < slotAt('finalized')) throw new RangeError(`cannot take back ${depth} blocks`)
    const undone = changes.filter((change) => change.slot > fork.slot)
    changes = changes.filter((change) => change.slot <= fork.slot)
    for (const { before } of undone.toReversed()) restore(engine, before)
    for (const { signature, parcel } of [...transactions.values()].filter((landed) => landed.slot > fork.slot)) {
      transactions.delete(signature)
      for (const account of parcel.accounts) {
        history.set(
          account,
          (history.get(account) ?? []).filter((other) => other !== signature),
        )
      }
    }
    blocks.splice(blocks.length - depth)
    waiting = []
    for (const { again } of undone) again?.()
    for (let i = 0; i <= depth; i++) seal()
  }

  seal()
  return {
    engine,
    blocks,
    transactions,
    history,
    head,
    slotAt,
    accountAt,
    edit,
    accept,
    isTimely,
    reorg,
    seal,
  }
}

function signatureOf({ transaction }: Parcel): string {
  const [first] = Object.values(transaction.signatures)
  if (!first) throw new RpcError(-32003, 'Transaction signature verification failure')
  return getBase58Decoder().decode(first)
}

function isFullySigned({ transaction: { messageBytes, signatures } }: Parcel): boolean {
  return Object.entries(signatures).every(
    ([signer, signature]) => signature !== null && isSignedBy(signer, signature, messageBytes),
  )
}

function preflightError(err: TransactionError, logs: string[]): RpcError {
  return new RpcError(-32002, `Transaction simulation failed: ${JSON.stringify(err)}`, { err, logs })
}

function writableOf({ accounts, header }: Parcel): Address[] {
  const { numSignerAccounts: signers, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header
  return accounts.filter((_, index) =>
    index < signers
      ? index < signers - numReadonlySignerAccounts
      : index < accounts.length - numReadonlyNonSignerAccounts,
  )
}

function snapshot(engine: Engine, addresses: readonly Address[]): Map<Address, EncodedAccount | null> {
  return new Map(addresses.map((address) => [address, engine.account(address)]))
}

function restore(engine: Engine, before: ReadonlyMap<Address, EncodedAccount | null>): void {
  for (const [address, account] of before) {
    if (account) engine.put(account)
    else engine.remove(address)
  }
}

function balances(engine: Engine, accounts: readonly Address[]): number[] {
  return accounts.map((address) => Number(engine.balance(address)))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function fail(reason: string): never {
  throw new Error(reason)
}
