/**
 * The local chain as CometBFT 0.38 shows it: the methods that this family and its clients call, with their real names, fields
 * and refusals, and a few of our own to fund, mine and break things.
 */
import { RpcError } from '@causeway/devnet/kit'
import type { Delivered, LocalBlock, LocalChain } from './chain.ts'
import { hashOf } from './chain.ts'
import type { Outcome } from './execute.ts'
import { BLOCK_PROTOCOL } from './hashes.ts'
import type { ChainEvent } from './messages.ts'
import { answerQuery } from './queries.ts'

type Params = Readonly<Record<string, unknown>>
type Method = (chain: LocalChain, params: Params) => unknown

const INTERNAL = -32603
const MOST_PAGE = 100

export const METHODS: Readonly<Record<string, Method>> = {
  health: () => ({}),

  status(chain) {
    const newest = blockAt(chain, chain.height)
    const oldest = blockAt(chain, 1n)
    return {
      node_info: {
        protocol_version: { p2p: '8', block: '11', app: '0' },
        id: 'c'.repeat(40),
        listen_addr: 'tcp://0.0.0.0:26656',
        network: chain.rules.chainId,
        version: '0.38.17',
        channels: '40202122233038606100',
        moniker: 'local',
        other: { tx_index: 'on', rpc_address: 'tcp://127.0.0.1:26657' },
      },
      sync_info: {
        latest_block_hash: hex(newest.hash),
        latest_app_hash: hex(newest.header.app),
        latest_block_height: chain.height.toString(),
        latest_block_time: newest.time,
        earliest_block_hash: hex(oldest.hash),
        earliest_app_hash: hex(oldest.header.app),
        earliest_block_height: '1',
        earliest_block_time: oldest.time,
        catching_up: false,
      },
      validator_info: {
        address: hex(newest.header.proposer),
        pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 1).toString('base64') },
        voting_power: '1',
      },
    }
  },

  abci_info: (chain) => ({
    response: { data: 'local', last_block_height: chain.height.toString(), last_block_app_hash: '' },
  }),

  block(chain, { height }) {
    const found = blockAt(chain, heightOf(chain, height))
    const last = lastBlockId(found)
    return {
      block_id: blockId(found),
      block: {
        header: headerOf(found),
        data: { txs: found.transactions.map(({ bytes }) => bytes.toString('base64')) },
        evidence: { evidence: [] },
        last_commit: { height: (found.header.height - 1n).toString(), round: 0, block_id: last, signatures: [] },
      },
    }
  },

  commit(chain, { height }) {
    const found = blockAt(chain, heightOf(chain, height))
    const commit = { height: found.header.height.toString(), round: 0, block_id: blockId(found), signatures: [] }
    return { signed_header: { header: headerOf(found), commit }, canonical: true }
  },

  block_results(chain, { height }) {
    const wanted = heightOf(chain, height)
    const { resultsMissingFrom } = chain.faults
    const found = blockAt(chain, wanted)
    if (resultsMissingFrom !== null && wanted >= resultsMissingFrom) {
      throw new RpcError(INTERNAL, 'Internal error', `could not find results for height #${wanted}`)
    }
    return {
      height: wanted.toString(),
      txs_results: found.transactions.length > 0 ? found.transactions.map(({ outcome }) => resultOf(outcome)) : null,
      finalize_block_events: found.events.map(written),
      validator_updates: null,
      consensus_param_updates: null,
      app_hash: found.header.app.toString('base64'),
    }
  },

  tx(chain, { hash }) {
    const wanted = Buffer.from(String(hash), 'base64').toString('hex').toUpperCase()
    const found = indexed(chain, wanted)
    if (!found) throw new RpcError(INTERNAL, 'Internal error', `tx (${wanted}) not found`)
    return found
  },

  tx_search(chain, { query, page = '1', per_page = '30', order_by = 'asc' }) {
    const wanted = String(query).split(/ AND /i).map(conditionOf)
    const all = chain.blocks.flatMap((block) =>
      block.transactions.flatMap((one, index) => {
        const isShown = !chain.faults.forgotten.has(one.hash) && wanted.every((fits) => fits(block, one))
        return isShown ? [entryOf(block, one, index)] : []
      }),
    )
    const sorted = order_by === 'desc' ? all.toReversed() : all
    const size = Math.min(Number(per_page), MOST_PAGE)
    const from = (Number(page) - 1) * size
    return { txs: sorted.slice(from, from + size), total_count: String(all.length) }
  },

  unconfirmed_txs(chain, { limit = '30' }) {
    const all = [...chain.pool.values()].map((bytes) => bytes.toString('base64'))
    return {
      n_txs: String(Math.min(all.length, Number(limit))),
      total: String(all.length),
      total_bytes: '0',
      txs: all.slice(0, Number(limit)),
    }
  },

  broadcast_tx_sync(chain, { tx }) {
    const bytes = Buffer.from(String(tx), 'base64')
    const answer = chain.submit(bytes)
    if (answer === 'known') throw new RpcError(INTERNAL, 'Internal error', 'tx already exists in cache')
    const { code, log, codespace } = answer
    return { code, data: '', log, codespace, hash: hashOf(bytes) }
  },

  abci_query(chain, { path, data, height }) {
    const wanted = BigInt(String(height ?? '0')) || chain.height
    const answered = { info: '', index: '0', key: null, proofOps: null }
    if (wanted > chain.height || wanted < chain.faults.prunedBelow) {
      const log = `failed to load state at height ${wanted}; version does not exist (latest height: ${chain.height})`
      return { response: { ...answered, code: 18, log, value: null, height: '0', codespace: 'sdk' } }
    }
    const { code, log, value } = answerQuery(chain, String(path), Buffer.from(String(data), 'hex'), wanted)
    const fields = { code, log, value: value?.toString('base64') ?? null, codespace: code === 0 ? '' : 'sdk' }
    return { response: { ...answered, ...fields, height: wanted.toString() } }
  },

  devnet_mine(chain, { blocks }) {
    chain.mine(Number(blocks))
    return {}
  },

  devnet_fund(chain, { address, denom, units }) {
    chain.give({ address: String(address), denom: String(denom), amount: BigInt(String(units)) })
    return {}
  },

  /** Puts bytes into the next block without the mempool's checks. */
  devnet_force(chain, { tx }) {
    chain.force(Buffer.from(String(tx), 'base64'))
    return {}
  },

  devnet_set(
    chain,
    { halted, gasPrice, disabled, blocked, grants, forgotten, showsTwins, resultsMissingFrom, prunedBelow, ...more },
  ) {
    const { rules, faults } = chain
    if (typeof halted === 'boolean') chain.setHalted(halted)
    if (typeof gasPrice === 'string') rules.gasPrice = BigInt(gasPrice)
    if (Array.isArray(disabled)) rules.disabled = new Set(disabled)
    for (const address of texts(blocked)) rules.blocked.add(address)
    for (const grant of texts(grants)) rules.grants.add(grant)
    for (const address of texts(more.authenticators)) rules.authenticators.add(address)
    if (Array.isArray(forgotten)) faults.forgotten = new Set(forgotten)
    if (typeof showsTwins === 'boolean') faults.showsTwins = showsTwins
    if (resultsMissingFrom !== undefined)
      faults.resultsMissingFrom = resultsMissingFrom === null ? null : BigInt(String(resultsMissingFrom))
    if (prunedBelow !== undefined) faults.prunedBelow = BigInt(String(prunedBelow))
    return {}
  },
}

function texts(raw: unknown): string[] {
  return Array.isArray(raw) ? raw.map(String) : []
}

/** The index's entry of a hash: of several transactions the executed one, or a refused one. */
function indexed(chain: LocalChain, hash: string) {
  const entries = chain.placesOf(hash).flatMap(({ height, index }) => {
    const block = chain.blockAt(height)
    const one = block?.transactions[index]
    return block && one ? [entryOf(block, one, index)] : []
  })
  const isWanted = ({ tx_result }: (typeof entries)[number]) => (tx_result.code === 0) !== chain.faults.showsTwins
  return entries.findLast(isWanted) ?? entries.at(-1)
}

type Condition = (block: LocalBlock, one: Delivered) => boolean

function conditionOf(text: string): Condition {
  const [, key = '', operator = '', value = ''] = /^\s*([\w.]+)\s*(>=|<=|=)\s*'?([^']*)'?\s*$/.exec(text) ?? []
  if (key === 'tx.hash') return (_, { hash }) => hash === value
  if (key === 'tx.height') {
    return ({ header: { height } }) => {
      if (operator === '=') return height === BigInt(value)
      return operator === '>=' ? height >= BigInt(value) : height <= BigInt(value)
    }
  }
  const [type, attribute] = [key.slice(0, key.lastIndexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  return (_, { outcome }) =>
    outcome.events.some(
      (event) => event.type === type && event.attributes.some((one) => one.key === attribute && one.value === value),
    )
}

function entryOf(block: LocalBlock, { hash, bytes, outcome }: Delivered, index: number) {
  return {
    hash,
    height: block.header.height.toString(),
    index,
    tx_result: resultOf(outcome),
    tx: bytes.toString('base64'),
  }
}

function resultOf({ code, codespace, log, data, gasWanted, gasUsed, events }: Outcome) {
  return {
    code,
    data: data.toString('base64'),
    log,
    info: '',
    gas_wanted: gasWanted.toString(),
    gas_used: gasUsed.toString(),
    events: events.map(written),
    codespace,
  }
}

function written({ type, attributes }: ChainEvent) {
  return { type, attributes }
}

function heightOf(chain: LocalChain, raw: unknown): bigint {
  const height = raw === undefined || raw === null ? chain.height : BigInt(String(raw))
  if (height <= 0n) throw new RpcError(INTERNAL, 'Internal error', `height must be greater than 0, but got ${height}`)
  if (height > chain.height) {
    const reason = `height ${height} must be less than or equal to the current blockchain height ${chain.height}`
    throw new RpcError(INTERNAL, 'Internal error', reason)
  }
  return height
}

function blockAt(chain: LocalChain, height: bigint): LocalBlock {
  const found = chain.blockAt(height)
  if (!found) throw new RpcError(INTERNAL, 'Internal error', `no block ${height}`)
  return found
}

function blockId({ hash }: LocalBlock) {
  return { hash: hex(hash), parts: { total: 1, hash: '00'.repeat(32) } }
}

function lastBlockId({ header: { lastBlock } }: LocalBlock) {
  if (!lastBlock) return { hash: '', parts: { total: 0, hash: '' } }
  return { hash: hex(lastBlock.hash), parts: { total: 1, hash: hex(lastBlock.parts) } }
}

function headerOf(block: LocalBlock) {
  const { header, time } = block
  return {
    version: { block: BLOCK_PROTOCOL.toString() },
    chain_id: header.chainId,
    height: header.height.toString(),
    time,
    last_block_id: lastBlockId(block),
    last_commit_hash: hex(header.lastCommit),
    data_hash: hex(header.data),
    validators_hash: hex(header.validators),
    next_validators_hash: hex(header.validators),
    consensus_hash: hex(header.consensus),
    app_hash: hex(header.app),
    last_results_hash: hex(header.lastResults),
    evidence_hash: hex(header.evidence),
    proposer_address: hex(header.proposer),
  }
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase()
}
