/** The CometBFT calls that this family makes, and how their answers are decoded. Heights are always named. */
import type { TxHash } from '@causeway/core'
import type { CommittedResult, Header } from '../block.ts'
import { base64Bytes, hexBytes, list, record, text, textOr, time, uint, uintOr } from './decode.ts'
import type { Call } from './node.ts'

export interface Status {
  chainId: string
  height: bigint
  hash: string
  timeMs: number
  isCatchingUp: boolean
}

export function status(): Call<Status> {
  return call('status', {}, (raw) => {
    const { node_info, sync_info } = record(raw)
    const sync = record(sync_info)
    return {
      chainId: text(record(node_info).network),
      height: uint(sync.latest_block_height),
      hash: text(sync.latest_block_hash).toUpperCase(),
      timeMs: Date.parse(text(sync.latest_block_time)),
      isCatchingUp: sync.catching_up !== false,
    }
  })
}

/** The newest height whose state can be queried: a block is stored a moment before it is executed. */
export function committedHeight(): Call<bigint> {
  return call('abci_info', {}, (raw) => uint(record(record(raw).response).last_block_height))
}

export interface RawBlock {
  /** The hash by the node's claim; `scanning/blocks.ts` computes the real one. */
  hash: string
  header: Header
  transactions: Uint8Array[]
}

export function block(height: bigint): Call<RawBlock> {
  return call('block', { height: height.toString() }, (raw) => {
    const { block_id, block: body } = record(raw)
    const { header, data } = record(body)
    return {
      hash: text(record(block_id).hash).toUpperCase(),
      header: readHeader(header),
      transactions: list(record(data).txs).map(base64Bytes),
    }
  })
}

/** A block's header without its transactions. */
export function header(height: bigint): Call<{ hash: string; header: Header }> {
  return call('commit', { height: height.toString() }, (raw) => {
    const { header: fields, commit } = record(record(raw).signed_header)
    return { hash: text(record(record(commit).block_id).hash).toUpperCase(), header: readHeader(fields) }
  })
}

export interface Event {
  type: string
  attributes: readonly { key: string; value: string }[]
}

export interface TxResult extends CommittedResult {
  log: string
  events: Event[]
}

export interface BlockResults {
  results: TxResult[]
  /** Events outside any transaction. */
  blockEvents: Event[]
}

export function blockResults(height: bigint): Call<BlockResults> {
  return call('block_results', { height: height.toString() }, (raw) => {
    const fields = record(raw)
    if (uint(fields.height) !== height) throw new TypeError('the results of another block')
    return {
      results: list(fields.txs_results).map(readResult),
      blockEvents: ['begin_block_events', 'finalize_block_events', 'end_block_events']
        .flatMap((name) => list(fields[name]))
        .map(readEvent),
    }
  })
}

/** A transaction from the index. A refusal concerns only the index. */
export function transaction(hash: TxHash): Call<{ height: bigint; bytes: Uint8Array }> {
  const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false }
  return call('tx', params, (raw) => ({ height: uint(record(raw).height), bytes: base64Bytes(record(raw).tx) }))
}

/** Heights at which the index has matching transactions; only a hint. */
export function search(query: string): Call<bigint[]> {
  const params = { query, prove: false, page: '1', per_page: '10', order_by: 'desc' }
  return call('tx_search', params, (raw) => list(record(raw).txs).map((tx) => uint(record(tx).height)))
}

/** Pending transactions in this node's pool, as far as it shows them. */
export function waiting(): Call<Uint8Array[]> {
  return call('unconfirmed_txs', { limit: '100' }, (raw) => list(record(raw).txs).map(base64Bytes))
}

export interface Sent {
  code: number
  log: string
}

export function send(bytes: Uint8Array): Call<Sent> {
  return call('broadcast_tx_sync', { tx: Buffer.from(bytes).toString('base64') }, (raw) => {
    const { code, log } = record(raw)
    return { code: Number(uintOr(code, 0n)), log: textOr(log, '') }
  })
}

export interface QueryAnswer {
  code: number
  log: string
  value: Uint8Array
}

/** A query to the application itself; without a height, of its newest state. */
export function abciQuery(path: string, data: Uint8Array, height: bigint | null): Call<QueryAnswer> {
  const params = { path, data: Buffer.from(data).toString('hex'), height: (height ?? 0n).toString(), prove: false }
  return call('abci_query', params, (raw) => {
    const { code, log, value, height: of } = record(record(raw).response)
    const failed = Number(uintOr(code, 0n))
    if (failed === 0 && height !== null && uint(of) !== height) throw new TypeError('an answer of another height')
    return { code: failed, log: textOr(log, ''), value: base64Bytes(value) }
  })
}

function call<T>(method: string, params: Record<string, unknown>, read: (raw: unknown) => T): Call<T> {
  return { method, params: [params], read }
}

function readHeader(raw: unknown): Header {
  const fields = record(raw)
  const version = record(fields.version)
  const last = record(fields.last_block_id ?? {})
  const parts = record(last.parts ?? last.part_set_header ?? {})
  return {
    blockVersion: uintOr(version.block, 0n),
    appVersion: uintOr(version.app, 0n),
    chainId: text(fields.chain_id),
    height: uint(fields.height),
    time: time(fields.time),
    lastBlock: { hash: hexBytes(last.hash), total: uintOr(parts.total, 0n), partsHash: hexBytes(parts.hash) },
    lastCommitHash: hexBytes(fields.last_commit_hash),
    dataHash: hexBytes(fields.data_hash),
    validatorsHash: hexBytes(fields.validators_hash),
    nextValidatorsHash: hexBytes(fields.next_validators_hash),
    consensusHash: hexBytes(fields.consensus_hash),
    appHash: hexBytes(fields.app_hash),
    lastResultsHash: hexBytes(fields.last_results_hash),
    evidenceHash: hexBytes(fields.evidence_hash),
    proposer: hexBytes(fields.proposer_address),
  }
}

function readResult(raw: unknown): TxResult {
  const fields = record(raw)
  return {
    code: Number(uintOr(fields.code, 0n)),
    data: base64Bytes(fields.data),
    gasWanted: uintOr(fields.gas_wanted, 0n),
    gasUsed: uintOr(fields.gas_used, 0n),
    log: textOr(fields.log, ''),
    events: list(fields.events).map(readEvent),
  }
}

function readEvent(raw: unknown): Event {
  const { type, attributes } = record(raw)
  return {
    type: text(type),
    attributes: list(attributes).map((attribute) => {
      const { key, value } = record(attribute)
      return { key: textOr(key, ''), value: textOr(value, '') }
    }),
  }
}
