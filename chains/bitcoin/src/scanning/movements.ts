/**
 * All movements of an address in a range of blocks, all of which are read: payments to it by outputs, and spends of its
 * UTXOs, which show its key. Amount and owner of a spent UTXO are read from the transaction that created it.
 */
import { balanceChanges } from '@causeway/chain-kit'
import { type Address, type BlockRef, Bug, type Movement, RetryLater } from '@causeway/core'
import { publicKeyScript, scriptOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { block, blockHash, chainInfo } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Output, partOf, type Transaction } from '../transaction.ts'
import { spentOutputs, sumOf } from './locate-tx.ts'

export function movements(chain: BitcoinChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  const home = scriptOf(account, chain.prefixes)
  if (!home) throw new Bug('not an address of this network', { account })
  const isHome = scriptTest(home)
  return chain.rpc.use(async (node) => {
    const [head] = await node.ask([chainInfo()])
    if (to > BigInt(head.height)) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
    const found: Movement[] = []
    let parent: string | null = null
    for (let height = from < 0n ? 0n : from; height <= to; height++) {
      const [hash] = await node.ask([blockHash(Number(height))])
      const [read] = await node.ask([block(hash)])
      if (parent !== null && read.parent !== parent) throw new RetryLater('the chain changed while it was read')
      parent = hash
      for (const transaction of read.transactions) {
        const moved = await movementIn(chain, node, isHome, transaction, { number: height, hash })
        if (moved) found.push(moved)
      }
    }
    return found
  })
}

type ScriptTest = (script: Uint8Array) => boolean

function scriptTest(home: Uint8Array): ScriptTest {
  const wanted = Buffer.from(home)
  return (script) => wanted.equals(script)
}

async function movementIn(
  { network }: BitcoinChain,
  node: Node,
  isHome: ScriptTest,
  transaction: Transaction,
  at: BlockRef,
): Promise<Movement | null> {
  const { txid, inputs, outputs, keys } = transaction
  const token = network.nativeToken
  const received = sumOf(outputs.filter(({ script }) => isHome(script)))
  // A spender of our UTXOs shows our public key. But others know that key, too, and can show it with an output that any
  // witness can spend, so the spent outputs are read.
  const showsKey = keys.some((key) => key !== null && isHome(publicKeyScript(Buffer.from(key, 'hex'))))
  const spent = showsKey && inputs !== null ? await spentOutputs(node, inputs) : []
  if (inputs === null || !spent.some(({ script }) => isHome(script))) {
    return received > 0n ? { txHash: txid, block: at, changes: [{ token, units: received }], slot: null } : null
  }
  const changes = balanceChanges(token, sidesOf(spent, outputs, isHome))
  return { txHash: txid, block: at, changes, slot: inputs.map(partOf) }
}

/**
 * Change to the same address is neither incoming nor outgoing; other owners' inputs of the same transaction are
 * incoming.
 */
function sidesOf(spent: readonly Output[], outputs: readonly Output[], isHome: ScriptTest) {
  const came = sumOf(spent.filter(({ script }) => !isHome(script)))
  const fee = sumOf(spent) - sumOf(outputs)
  return { came, left: sumOf(outputs.filter(({ script }) => !isHome(script))) + fee }
}
