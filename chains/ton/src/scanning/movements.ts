/**
 * All movements of the treasury in a range of masterchain blocks, from the linked histories of the wallet and its
 * jetton wallets. A payout is several transactions (a message to itself, the jetton wallet, returned change): they are
 * reported as one, under the signed hash. Each belongs to its own block, so every range adds up.
 */
import { type Address, type Amount, type BlockRef, Bug, type Movement, RetryLater, type Token } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { isOwnChange, ownWallets } from '../jetton.ts'
import { accountState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { queryIn } from '../paying/message.ts'
import { slotOf } from '../paying/slot.ts'
import { drainOf, internalIn, sliceOf, sourceOf, type TonTransaction } from '../transaction.ts'
import { jettonChange } from './jetton-changes.ts'

/** A payout's last message comes within minutes: its origin is searched this far back, and no further. */
const LOOK_BACK_SECONDS = 600
const LOOK_BACK_MOST = 200

export function movements(chain: TonChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  const { treasury, network, jettons } = chain
  if (account !== treasury.address) throw new Bug('not our treasury', { account })
  return chain.rpc.use(async (node) => {
    const own = await pastOf(chain, node, account, from, to)
    const groups = openGroups(chain, own)
    for (const part of own.inside) groups.addNative(part)
    for (const [wallet, token] of await ownWallets(jettons, node, account, network.tokens)) {
      const { inside } = await pastOf(chain, node, wallet, from, to)
      for (const part of inside) groups.addJetton(part, token)
    }
    return groups.all()
  })
}

interface Part {
  transaction: TonTransaction
  block: BlockRef
}

interface Past {
  /** Transactions in the range, oldest first. */
  inside: Part[]
  /** Transactions shortly before the range. */
  before: TonTransaction[]
}

async function pastOf(chain: TonChain, node: Node, account: Address, from: bigint, to: bigint): Promise<Past> {
  const { head, last } = await node.ask(accountState(account))
  if (head.number < to) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
  const inside: Part[] = []
  const before: TonTransaction[] = []
  for await (const transaction of chain.history.walk(node, account, last)) {
    const since = before[0]
    if (since && (before.length >= LOOK_BACK_MOST || since.now - transaction.now > LOOK_BACK_SECONDS)) break
    const block = since ? null : await chain.blocks.of(node, transaction)
    if (block && block.number > to) continue
    if (block && block.number >= from) inside.push({ transaction, block })
    else before.push(transaction)
  }
  return { inside: inside.toReversed(), before }
}

interface Group extends Movement {
  native: { came: bigint; left: bigint }
}

function openGroups({ network, log, treasury }: TonChain, { inside, before }: Past) {
  const known = [...before.toReversed(), ...inside.map(({ transaction }) => transaction)]
  const groups = new Map<string, Group>()

  function groupOf(key: string, cause: TonTransaction | null, block: BlockRef): Group {
    const query = cause?.in ? queryIn(cause.in) : null
    const slot = cause ? (query ? slotOf(query) : [`message:${key}`]) : null
    const group = groups.get(key) ?? { txHash: key, block, changes: [], slot, native: { came: 0n, left: 0n } }
    groups.set(key, group)
    return group
  }

  /** The payout that a transaction of the treasury belongs to; null if it belongs to none. */
  function causeOf(transaction: TonTransaction): TonTransaction | null {
    if (transaction.in?.info.type === 'external-in') return transaction
    const message = internalIn(transaction)
    if (!message) return null
    if (sourceOf(message) === treasury.address) return senderOf(message.info.createdLt)
    return isOwnChange(message.body) ? causeByQuery(transaction) : null
  }

  function senderOf(createdLt: bigint): TonTransaction | null {
    const sender = known.find(({ out }) => out.some(({ info }) => info.createdLt === createdLt))
    return sender ? causeOf(sender) : null
  }

  /** The newest payout before this transaction with the query id that the change names. */
  function causeByQuery({ in: message, lt }: TonTransaction): TonTransaction | null {
    const body = message && sliceOf(message.body)
    if (!body || body.remainingBits < 96) return null
    const id = Number(body.skip(64).loadUint(32))
    return known.findLast((other) => other.lt < lt && other.in !== null && queryIn(other.in)?.id === id) ?? null
  }

  function placeOf({ transaction, block }: Part): Group {
    const cause = causeOf(transaction)
    return groupOf(cause?.inHash ?? transaction.hash, cause, block)
  }

  return {
    addNative(part: Part): void {
      const { transaction } = part
      if (transaction.isUnreadable) {
        // We sign nothing unreadable, so another account sent this message. Its amount will show as an unexplained
        // credit.
        log.error({ network: network.name, hash: transaction.hash }, 'a transaction of the treasury cannot be read')
        return
      }
      const { native } = placeOf(part)
      const brought = internalIn(transaction)?.info.value.coins ?? 0n
      native.came += brought
      native.left += drainOf(transaction) + brought
    },
    addJetton({ transaction, block }: Part, token: Token): void {
      const units = jettonChange(transaction)
      const message = internalIn(transaction)
      if (units === 0n || !message) return
      const told = known.find((other) =>
        transaction.out.some(({ info }) => internalIn(other)?.info.createdLt === info.createdLt),
      )
      const cause =
        sourceOf(message) === treasury.address ? senderOf(message.info.createdLt) : told ? causeOf(told) : null
      const key = cause?.inHash ?? told?.hash ?? transaction.hash
      groupOf(key, cause, block).changes.push({ token, units })
    },
    all(): Movement[] {
      return [...groups.values()]
        .map(({ native, changes, ...movement }) => {
          // A payout's message to itself, or its returned change, did not leave the treasury.
          const net = native.came - native.left
          const sides = movement.slot ? [net] : [native.came, -native.left]
          const coins: Amount[] = sides.map((units) => ({ token: network.nativeToken, units }))
          return { ...movement, changes: [...coins, ...changes].filter(({ units }) => units !== 0n) }
        })
        .filter(({ slot, changes }) => slot !== null || changes.length > 0)
        .toSorted((a, b) => (a.block.number < b.block.number ? -1 : a.block.number > b.block.number ? 1 : 0))
    },
  }
}
