/** What a network asks of its nodes a month, by the formula of docs/nodes.md. */
import { parseSettings } from '../../chains/evm/src/settings.ts'
import { toNetwork } from '../../server/src/catalogue/catalogue.ts'
import type { NetworkFile } from './files.ts'

const MONTH_SECONDS = 30 * 86_400
/** Header and next block; a block and its logs; of a stretch each block, and its header and logs once. */
const HEAD = 2
const BLOCK = 2
const STRETCH = { block: 1, range: 3 }
/** Fees and our contracts; tokens and the fee model come on top. */
const MARKET = 7
const MARKET_SECONDS = { idle: 60, busy: 15 }
const TOKEN_LOOKS = (4 * MONTH_SECONDS) / 600
const BY_MODEL = { plain: 0, op_stack: 8, scroll: 4, mantle: 9, orbit: 1, zksync: 1 }

interface Load {
  blockSeconds: number
  /**
   * Requests a month while nobody waits for the network: with the file as it is, and where `native_scan` reads no blocks; and
   * while somebody always does.
   */
  idle: number
  sparse: number
  busy: number
}

/** Null where the family asks in another way. */
function loadOf(file: NetworkFile): Load | null {
  if (file.type !== 'evm' || file.inactive) return null
  const blockSeconds = file.block_seconds ?? 12
  const tokens = file.tokens.length
  const network = toNetwork(file, {})
  const { feeModel, nativeScan } = parseSettings(network)
  const market = MARKET + BY_MODEL[feeModel] + tokens
  const looks = TOKEN_LOOKS * tokens
  const each = (seconds: number, requests: number) => (MONTH_SECONDS / seconds) * requests
  const idleSeconds = (network.idlePollMs ?? network.pollMs) / 1000
  const sparse =
    each(idleSeconds, HEAD) +
    each(Math.max(blockSeconds, idleSeconds), STRETCH.range) +
    each(MARKET_SECONDS.idle, market) +
    looks
  return {
    blockSeconds,
    idle: nativeScan === 'blocks' ? sparse + each(blockSeconds, STRETCH.block) : sparse,
    sparse,
    busy: each(file.poll_ms / 1000, HEAD) + each(blockSeconds, BLOCK) + each(MARKET_SECONDS.busy, market) + looks,
  }
}

/** The rows of the table in docs/nodes.md, in millions. */
export function loadRows(files: readonly NetworkFile[]): string[] {
  return files
    .toSorted((a, b) => a.source_rank - b.source_rank)
    .flatMap((file) => {
      const load = loadOf(file)
      if (!load) return []
      const million = (count: number) => (count / 1e6).toFixed(1)
      const { blockSeconds, idle, sparse, busy } = load
      const loads = [idle, sparse, busy].map(million).join(' | ')
      return [`| ${file.display_name} | ${blockSeconds} s | ${file.tokens.length} | ${loads} |`]
    })
}
