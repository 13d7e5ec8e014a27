/**
 * Makes a swap's deposit from a test account, as a wallet would: requests the deposit actions and carries them out. So
 * a swap can be tried with curl alone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { API_ERRORS, ApiError, type ApiErrorCode, type TestAccount, type TxHash } from '@causeway/core'
import { Authorization, DepositAction, Failure } from '@causeway/sdk'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { AmountText, accountOf, byChain, type Place, placeOf, tokenOf, unitsOf, type World, wrong } from './world.ts'

export const DepositBody = z.strictObject({
  swap_id: z.uuid(),
  /** The index of the test account that pays. */
  account: z.int().min(0).max(1_000).default(0),
  /** Another amount than requested, to see what happens. */
  amount: AmountText.optional(),
})
type DepositBody = z.infer<typeof DepositBody>

/** Normally sent at once; a busy machine may take longer. */
const PUBLISHED_TIMEOUT_MS = 20_000
const PUBLISHED_POLL_MS = 100

const Authorized = z.union([z.object({ data: Authorization }), Failure])
const Actions = z.union([z.object({ data: z.array(DepositAction).min(1) }), Failure])

export interface DepositMade {
  transaction_hash: TxHash
  network: string
  from: string
  to: string
}

export async function makeDeposit(api: FastifyInstance, world: World, body: DepositBody): Promise<DepositMade[]> {
  const network = (await actionsOf(api, body.swap_id, {}))[0]?.network.name ?? ''
  const place = await placeOf(world, network)
  const account = accountOf(place, body.account)
  // The actions are requested again, since some families build them for one sender.
  const actions = await actionsOf(api, body.swap_id, { source_address: account.address })
  if (actions.length > 1 && body.amount !== undefined) throw wrong('amount', 'is fixed where there are several actions')
  const made: DepositMade[] = []
  for (const action of actions.sort((a, b) => a.order - b.order)) {
    const hash =
      action.type === 'sign'
        ? await signFor(api, place, account, action, body)
        : await perform(place, account, action, body.amount)
    made.push({ transaction_hash: hash, network: place.network.name, from: account.address, to: action.to_address })
  }
  return made
}

async function actionsOf(api: FastifyInstance, swapId: string, query: Record<string, string>) {
  const response = await api.inject({ url: `/api/v2/swaps/${swapId}/deposit_actions`, query })
  return dataOf(Actions.parse(response.json()))
}

function dataOf<Data>(answer: { data: Data } | Failure): Data {
  if ('data' in answer) return answer.data
  const { code, message, metadata } = answer.error
  throw new ApiError(isKnown(code) ? code : 'UNEXPECTED_ERROR', message, metadata)
}

function isKnown(code: string): code is ApiErrorCode {
  return Object.hasOwn(API_ERRORS, code)
}

/** Signs the action, submits the signature, and waits for the service's transaction. */
async function signFor(
  api: FastifyInstance,
  { devnet }: Place,
  account: TestAccount,
  action: DepositAction,
  { swap_id: swapId, amount }: DepositBody,
): Promise<TxHash> {
  if (amount !== undefined) throw wrong('amount', 'is fixed: it stands inside what is signed')
  if (!devnet.sign || !action.typed_data) throw wrong('swap_id', 'this chain has no wallets that sign')
  const url = `/api/v2/swaps/${swapId}/authorize`
  const signature = await devnet.sign(account, action.typed_data)
  const payload = { signature, signer_address: account.address }
  dataOf(Authorized.parse((await api.inject({ method: 'POST', url, payload })).json()))
  const deadline = performance.now() + PUBLISHED_TIMEOUT_MS
  for (;;) {
    const { status, transaction } = dataOf(Authorized.parse((await api.inject({ url })).json()))
    if (transaction?.transaction_hash) return transaction.transaction_hash
    if (status !== 'initiated' || performance.now() > deadline) throw wrong('swap_id', `the signature is ${status}`)
    await sleep(PUBLISHED_POLL_MS)
  }
}

async function perform(place: Place, account: TestAccount, action: DepositAction, amount?: string): Promise<TxHash> {
  const { devnet } = place
  const token = tokenOf(place, action.token.contract ?? action.token.symbol)
  const asked = BigInt(action.amount_in_base_units)
  const units = amount === undefined ? asked : unitsOf(token, amount)
  if (action.type === 'manual_transfer') {
    if (units === 0n) throw wrong('amount', 'is open: say how much to send')
    return byChain(devnet.transfer(account, token, action.to_address, units))
  }
  if (asked === 0n && amount !== undefined) throw wrong('amount', 'is fixed: it stands inside the call_data')
  return byChain(devnet.deposit(account, token, { toAddress: action.to_address, units, callData: action.call_data }))
}
