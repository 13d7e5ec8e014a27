/** The node's own protocol (JSON-RPC 0.10) over a local chain, as far as adapters and public client libraries use it. */
import { RpcError } from '@causeway/devnet/kit'
import { shortString } from 'starknet'
import type { Block, Landed, LocalChain } from './chain.ts'
import { hex, named, Revert } from './contracts.ts'
import { callContract } from './execution.ts'
import { Draft } from './ledger.ts'
import type { Wire } from './signature-checks.ts'

type Params = Record<string, unknown>
export type Methods = Record<string, (params: Params) => unknown>

const notFound = () => new RpcError(29, 'Transaction hash not found')
const IS_VALID = named('is_valid_signature')
const VALID = shortString.encodeShortString('VALID')
/** The most events that nodes return at once. */
const MOST_EVENTS = 1_024

export function methodsOf(chain: LocalChain): Methods {
  const blockOf = (id: unknown): Block => {
    const found = find(chain, id)
    if (!found) throw new RpcError(24, 'Block not found')
    return found
  }
  const landedOf = (hash: unknown): Landed => {
    const found = chain.landed.get(hex(BigInt(String(hash))))
    if (!found) throw notFound()
    return found
  }
  const waitingOf = (hash: unknown) => [...chain.waiting.values()].find((sent) => sent.hash === BigInt(String(hash)))
  const deployed = (address: unknown, block: Block): bigint => {
    const account = BigInt(String(address))
    const isContract = chain.contracts.has(account)
    if (!isContract && chain.cell(`class ${account}`, block.number) === 0n) throw new RpcError(20, 'Contract not found')
    return account
  }
  return {
    starknet_specVersion: () => '0.10.0',
    starknet_chainId: () => chain.plan.chainId,
    starknet_syncing: () => false,
    starknet_blockNumber: () => chain.head.number,
    starknet_blockHashAndNumber: () => ({ block_hash: chain.head.hash, block_number: chain.head.number }),
    starknet_getBlockWithTxHashes: ({ block_id }) => blockJson(chain, block_id, blockOf, ({ hash }) => hash),
    starknet_getBlockWithTxs: ({ block_id }) => blockJson(chain, block_id, blockOf, transactionJson),
    starknet_getBlockWithReceipts: ({ block_id }) =>
      blockJson(chain, block_id, blockOf, (one) => ({
        transaction: transactionJson(one),
        receipt: receiptJson(chain, one),
      })),
    starknet_getNonce: ({ block_id, contract_address }) => {
      const block = blockOf(block_id)
      const account = deployed(contract_address, block)
      let nonce = chain.cell(`nonce ${account}`, block.number)
      if (block_id === 'pre_confirmed') while (chain.waiting.has(`${account} ${nonce}`)) nonce++
      return hex(nonce)
    },
    starknet_getClassHashAt: ({ block_id, contract_address }) => {
      const block = blockOf(block_id)
      const account = deployed(contract_address, block)
      return hex(chain.cell(`class ${account}`, block.number) || 0x70ce11n)
    },
    starknet_getClassAt: ({ block_id, contract_address }) => {
      deployed(contract_address, blockOf(block_id))
      return CLASS
    },
    starknet_getClass: () => CLASS,
    starknet_call: ({ request, block_id }) => {
      const { contract_address, entry_point_selector, calldata } = request as Params
      const block = blockOf(block_id)
      const to = deployed(contract_address, block)
      const args = (calldata as string[]).map(BigInt)
      const name = BigInt(String(entry_point_selector))
      if (name === IS_VALID && !chain.contracts.has(to)) {
        return [chain.isSignedBy(to, args[0] ?? 0n, args.slice(2)) ? VALID : '0x0']
      }
      const cells = new Draft((cell) => chain.cell(cell, block.number))
      try {
        return callContract({ contracts: chain.contracts, cells, events: [] }, 0n, to, name, args).map(hex)
      } catch (error) {
        throw error instanceof Revert ? new RpcError(40, 'Contract error', { revert_error: error.message }) : error
      }
    },
    starknet_estimateFee: ({ request }) => (request as Wire[]).map((wire) => estimate(chain, wire).fee),
    starknet_simulateTransactions: ({ transactions }) =>
      (transactions as Wire[]).map((wire) => {
        const { fee, reverted } = estimate(chain, wire)
        const ran = reverted === null ? { calls: [], events: [], messages: [] } : { revert_reason: reverted }
        return { fee_estimation: fee, transaction_trace: { type: 'INVOKE', execute_invocation: ran } }
      }),
    starknet_addInvokeTransaction: ({ invoke_transaction }) => ({
      transaction_hash: hex(chain.add({ type: 'INVOKE', ...(invoke_transaction as Wire) }).hash),
    }),
    starknet_addDeployAccountTransaction: ({ deploy_account_transaction }) => {
      const { hash, sender } = chain.add({ type: 'DEPLOY_ACCOUNT', ...(deploy_account_transaction as Wire) })
      return { transaction_hash: hex(hash), contract_address: hex(sender) }
    },
    starknet_getTransactionStatus: ({ transaction_hash }) => {
      if (waitingOf(transaction_hash)) return { finality_status: 'RECEIVED' }
      const { block, reverted } = landedOf(transaction_hash)
      return { finality_status: finality(chain, block), execution_status: reverted === null ? 'SUCCEEDED' : 'REVERTED' }
    },
    starknet_getTransactionReceipt: ({ transaction_hash }) => receiptJson(chain, landedOf(transaction_hash)),
    starknet_getTransactionByHash: ({ transaction_hash }) => {
      const waits = waitingOf(transaction_hash)
      return waits ? { ...waits.wire, transaction_hash: hex(waits.hash) } : transactionJson(landedOf(transaction_hash))
    },
    starknet_getEvents: ({ filter }) => eventsJson(chain, filter as Params, blockOf),
  }
}

/** The class of an account as a client reads it: calls in Cairo 1 format. */
const CLASS = {
  sierra_program: ['0x1', '0x6', '0x0'],
  contract_class_version: '0.1.0',
  entry_points_by_type: { CONSTRUCTOR: [], EXTERNAL: [], L1_HANDLER: [] },
  abi: '[]',
}

function find(chain: LocalChain, id: unknown): Block | undefined {
  if (id === 'latest' || id === 'pre_confirmed') return chain.head
  if (id === 'l1_accepted') return chain.blocks[chain.final]
  const { block_number: number, block_hash: hash } = id as { block_number?: number; block_hash?: string }
  if (number !== undefined) return chain.blocks[number]
  return hash === undefined ? undefined : chain.blocks.findLast((block) => BigInt(block.hash) === BigInt(hash))
}

function finality(chain: LocalChain, { number }: Block): string {
  return number <= chain.final ? 'ACCEPTED_ON_L1' : 'ACCEPTED_ON_L2'
}

function blockJson(chain: LocalChain, id: unknown, blockOf: (id: unknown) => Block, show: (one: Landed) => unknown) {
  const block = blockOf(id)
  const price = (units: bigint) => ({ price_in_fri: hex(units), price_in_wei: '0x1' })
  const common = {
    timestamp: block.time,
    sequencer_address: '0x1176a1bd84444c89232ec27754698e5d2e7e1a7f1539f12027f28b23ec9f3d8',
    l1_gas_price: price(block.prices.l1Gas),
    l1_data_gas_price: price(block.prices.l1DataGas),
    l2_gas_price: price(block.prices.l2Gas),
    l1_da_mode: 'BLOB',
    starknet_version: '0.14.2',
  }
  // The block under construction has no hash and is always empty here, because accepted transactions are mined at once.
  if (id === 'pre_confirmed') return { ...common, block_number: block.number + 1, transactions: [] }
  return {
    ...common,
    status: finality(chain, block),
    block_hash: block.hash,
    parent_hash: block.parentHash,
    block_number: block.number,
    new_root: '0x1',
    transactions: block.transactions.map(show),
  }
}

function transactionJson({ wire, hash, type }: Landed): Wire {
  return { ...wire, type, transaction_hash: hash }
}

function receiptJson(chain: LocalChain, landed: Landed): Wire {
  const { hash, type, fee, events, reverted, gas, block, wire } = landed
  return {
    type,
    transaction_hash: hash,
    actual_fee: { amount: hex(fee), unit: 'FRI' },
    finality_status: finality(chain, block),
    execution_status: reverted === null ? 'SUCCEEDED' : 'REVERTED',
    ...(reverted === null ? {} : { revert_reason: reverted }),
    ...(type === 'DEPLOY_ACCOUNT' ? { contract_address: wire.contract_address } : {}),
    block_hash: block.hash,
    block_number: block.number,
    events,
    messages_sent: [],
    execution_resources: { l1_gas: 0, l1_data_gas: Number(gas.data), l2_gas: Number(gas.l2) },
  }
}

function estimate(chain: LocalChain, wire: Wire) {
  const ran = chain.simulate(chain.readUnsigned(wire))
  const { prices } = chain.head
  const fee = {
    ...{ l1_gas_consumed: '0x0', l1_gas_price: hex(prices.l1Gas) },
    ...{ l2_gas_consumed: hex(ran.gas.l2), l2_gas_price: hex(prices.l2Gas) },
    ...{ l1_data_gas_consumed: hex(ran.gas.data), l1_data_gas_price: hex(prices.l1DataGas) },
    ...{ overall_fee: hex(chain.feeOf(ran, 0n)), unit: 'FRI' },
  }
  return { fee, reverted: ran.reverted }
}

/**
 * A query over more blocks than this first returns an empty page with a continuation, like nodes that search in steps.
 */
const WIDE = 8

function eventsJson(chain: LocalChain, filter: Params, blockOf: (id: unknown) => Block) {
  const { address, keys, chunk_size: size, continuation_token: token } = filter
  if (typeof size !== 'number' || size > MOST_EVENTS) throw new RpcError(31, 'Requested page size is too big')
  const [from, to] = [blockOf(filter.from_block ?? { block_number: 0 }), blockOf(filter.to_block ?? 'latest')]
  if (token === undefined && to.number - from.number >= WIDE) return { events: [], continuation_token: '0' }
  const wanted = (keys as string[][] | undefined) ?? []
  const found = chain.blocks.slice(from.number, to.number + 1).flatMap((block) =>
    block.transactions.flatMap((landed, transaction_index) =>
      landed.events.flatMap((event, event_index) => {
        const isFrom = address === undefined || BigInt(String(address)) === BigInt(event.from_address)
        const fits = wanted.every(
          (any, i) => any.length === 0 || any.some((key) => BigInt(key) === BigInt(event.keys[i] ?? -1)),
        )
        const place = { block_hash: block.hash, block_number: block.number, transaction_hash: landed.hash }
        return isFrom && fits ? [{ ...event, ...place, transaction_index, event_index }] : []
      }),
    ),
  )
  const start = Number(token ?? 0)
  const next = start + size
  return { events: found.slice(start, next), ...(next < found.length ? { continuation_token: `${next}` } : {}) }
}
