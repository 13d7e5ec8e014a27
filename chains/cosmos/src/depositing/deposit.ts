/**
 * Deposit instructions: coins to us with the swap's reference as the transaction's memo, or any coins to a deposit
 * address. For a named sender they carry what a wallet's signature covers and a page cannot read: the account's number
 * and sequence, and the fee.
 */
import { boundedMap, transferAction } from '@causeway/chain-kit'
import type { Address, DepositAction, DepositRequest } from '@causeway/core'
import { denomOf } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import { account } from '../node/queries.ts'
import { offeredPrice, TRANSFER_GAS } from '../paying/fees.ts'
import { feeFor } from '../paying/max-signing-cost.ts'

/** A page that waits longer shows the deposit without this, and offers other ways to pay. */
const MOST_WAIT_MS = 3_000
/** How long an answer is used again: anyone may read a swap, and each read would ask a node. */
const KEPT_MS = 2_000
const MOST_KEPT = 1_000

type SigningArgs = readonly string[] | null

export function depositActions(chain: CosmosChain): (request: DepositRequest) => Promise<DepositAction> {
  const kept = boundedMap<Address, { args: Promise<SigningArgs>; at: number }>(MOST_KEPT)

  function argsFor(sender: Address): Promise<SigningArgs> {
    const last = kept.get(sender)
    if (last && chain.now() - last.at < KEPT_MS) return last.args
    const args = inTime(signingArgs(chain, sender)).catch(() => null)
    kept.set(sender, { args, at: chain.now() })
    return args
  }

  return async (request) => {
    const action = transferAction(request)
    if (request.sourceAddress === null) return action
    const args = await argsFor(request.sourceAddress)
    return args ? { ...action, encodedArgs: [denomOf(request.token, chain.settings.denom), ...args] } : action
  }
}

/** Account number, sequence, gas, fee, the fee's denomination, and the type of the key. Null for an unused account. */
function signingArgs(chain: CosmosChain, sender: Address): Promise<SigningArgs> {
  const { denom, pubkeyType } = chain.settings
  return chain.rpc.use(async (node) => {
    const [own, price] = await Promise.all([account(node, sender, null), offeredPrice(chain, node)])
    if (own === null) return null
    const fee = feeFor(TRANSFER_GAS, price)
    return [String(own.number), String(own.sequence), String(TRANSFER_GAS), String(fee), denom, pubkeyType]
  })
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the nodes did not answer in time')), MOST_WAIT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
