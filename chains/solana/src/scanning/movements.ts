/**
 * All movements of an account in a range of slots: the history of the wallet and of its token accounts (a token deposit
 * does not touch the wallet), and the balances before and after each transaction.
 */
import { type Address, type Amount, type Movement, RetryLater, type Slot } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'
import { getTransferSolInstructionDataDecoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaChain } from '../chain.ts'
import { blockRoot, firstBlock, historyOf, latestBlock, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { associatedAccount } from '../tokens.ts'
import type { Instruction, LandedTransaction } from '../transaction.ts'
import { signersOf } from './transfers.ts'

/** Transactions per round of requests. */
const BATCH = 20

export function movements(chain: SolanaChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  return chain.rpc.use(async (node) => {
    if (to < from) return []
    const [head, first] = await node.ask([latestBlock('confirmed'), firstBlock()])
    if (head.slot < to) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
    if (first > from && first > 1n) throw new RetryLater(`the node has forgotten what was before slot ${first}`)
    const held = await tokenAccounts(chain, node, account)
    const touched = [account, ...held.keys()]
    const found = await Promise.all(touched.map((address) => signaturesIn(node, address, from, to)))
    const signatures = [...new Map(found.flat().map((entry) => [entry.signature, entry])).values()]
    const read: LandedTransaction[] = []
    for (let start = 0; start < signatures.length; start += BATCH) {
      const answers = await node.ask(
        signatures.slice(start, start + BATCH).map(({ signature }) => transaction(signature)),
      )
      for (const answer of answers) {
        if (!answer) throw new RetryLater('the node knows that a transaction landed, but not the transaction')
        read.push(answer)
      }
    }
    const hashes = await hashesOf(node, read)
    return read
      .toSorted((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0))
      .flatMap((landed) => movementIn(chain, account, held, landed, hashes.get(landed.slot) ?? ''))
  })
}

/** The account's token accounts of listed tokens. */
async function tokenAccounts(chain: SolanaChain, node: Node, owner: Address): Promise<Map<Address, Address>> {
  const mints = [...chain.tokens.keys()]
  const places = mints.map(async (mint) => associatedAccount(owner, mint, await chain.programs.of(node, mint)))
  return new Map((await Promise.all(places)).map((place, position) => [place, mints[position] ?? '']))
}

/**
 * The signatures of the range, oldest first. The node returns the newest ones; older ones are requested until the range
 * is covered.
 */
async function signaturesIn(node: Node, address: Address, from: bigint, to: bigint) {
  const found: { signature: string; slot: bigint }[] = []
  for (let before: string | null = null; ; ) {
    const [page]: readonly [{ signature: string; slot: bigint }[]] = await node.ask([historyOf(address, to, before)])
    const last = page.at(-1)
    found.push(...page.filter(({ slot }) => slot >= from && slot <= to))
    if (!last || last.slot < from) return found.toReversed()
    before = last.signature
  }
}

async function hashesOf(node: Node, read: readonly LandedTransaction[]): Promise<Map<bigint, string>> {
  const slots = [...new Set(read.map(({ slot }) => slot))]
  const roots = await node.ask(slots.map((slot) => blockRoot(slot)))
  return new Map(roots.map(({ slot, hash }) => [slot, hash]))
}

function movementIn(
  chain: SolanaChain,
  account: Address,
  held: ReadonlyMap<Address, Address>,
  landed: LandedTransaction,
  hash: string,
): Movement[] {
  const isOwn = signersOf(landed).includes(account)
  const changes = [...nativeChanges(chain, account, landed), ...tokenChanges(chain, held, landed)]
  if (!isOwn && changes.length === 0) return []
  const block = { number: landed.slot, hash }
  return [{ txHash: landed.hash, block, changes, slot: isOwn ? slotUsed(landed) : null }]
}

function nativeChanges({ network }: SolanaChain, account: Address, landed: LandedTransaction): Amount[] {
  const position = landed.accounts.indexOf(account)
  if (position < 0) return []
  const net = BigInt(landed.postBalances[position] ?? 0) - BigInt(landed.preBalances[position] ?? 0)
  const given = landed.failed ? [] : landed.instructions.map((one) => givenBy(one, position))
  const sum = given.reduce((total, units) => total + units, 0n)
  // Rent returned by a closed account is part of the incoming amount.
  const came = sum > net ? sum : net > 0n ? net : 0n
  const token = network.nativeToken
  return [
    { token, units: came },
    { token, units: net - came },
  ].filter(({ units }) => units !== 0n)
}

/** The amount that a plain transfer brought to the account. */
function givenBy({ program, accounts: [from, to], data }: Instruction, position: number): bigint {
  if (program !== SYSTEM_PROGRAM_ADDRESS || to !== position || from === to) return 0n
  const bytes = getBase58Encoder().encode(data)
  if (bytes.length !== 12 || bytes[0] !== 2) return 0n
  return getTransferSolInstructionDataDecoder().decode(bytes).amount
}

function tokenChanges(
  { tokens }: SolanaChain,
  held: ReadonlyMap<Address, Address>,
  { accounts, preTokens, postTokens }: LandedTransaction,
): Amount[] {
  return [...held].flatMap(([place, mint]) => {
    const token = tokens.get(mint)
    const position = accounts.indexOf(place)
    if (!token || position < 0) return []
    const unitsIn = (list: typeof preTokens) => list.find(({ index }) => index === position)?.units ?? 0n
    const units = unitsIn(postTokens) - unitsIn(preTokens)
    return units === 0n ? [] : [{ token, units }]
  })
}

/** The nonce value that the transaction consumed; another transaction consumes only itself. */
function slotUsed({ instructions: [first], accounts, lifetime, hash }: LandedTransaction): Slot {
  const bytes = first ? getBase58Encoder().encode(first.data) : null
  const nonce = accounts[first?.accounts[0] ?? -1]
  // The data is the number four in four bytes: AdvanceNonceAccount.
  const isAdvance = first?.program === SYSTEM_PROGRAM_ADDRESS && bytes?.length === 4 && bytes[0] === 4
  return isAdvance && nonce && lifetime ? [`${nonce}:${lifetime}`] : [`signature:${hash}`]
}
