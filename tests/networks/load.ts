/** Node requests of a network per month, by the formula of docs/nodes.md. */
import { parseSettings } from '../../chains/evm/src/settings.ts'
import { toNetwork } from '../../server/src/catalogue/catalogue.ts'
import type { NetworkFile } from './files.ts'

const MONTH_SECONDS = 30 * 86_400
/** The catalogue's default if a file has no value. */
const IDLE_POLL_SECONDS = 30
/** If every block is scanned: the head and the next block per poll, and one request for the new logs. */
const WHOLE = { look: 2, logs: 1 }
/**
 * With balances: the head at each poll; if it is new also nonce and balances, logs and their last block, and the
 * previous last block if several came.
 */
const RANGES = { look: 1, step: 4, several: 1 }
/** Fees and our contracts; tokens and the fee model come on top. */
const MARKET = 7
const MARKET_SECONDS = { idle: 60, busy: 15 }
const TOKEN_LOOKS = (4 * MONTH_SECONDS) / 600
const BY_MODEL = { plain: 0, op_stack: 8, scroll: 4, morph: 4, mantle: 9, orbit: 1, zksync: 1 }

interface Load {
  blockSeconds: number
  /** Requests per month while no swap waits for the network, and while one always does. */
  idle: number
  busy: number
}

/** Null if the family scans in another way. */
function loadOf(file: NetworkFile): Load | null {
  if (file.type !== 'evm' || file.inactive) return null
  const { feeModel, nativeScan } = parseSettings(toNetwork(file, {}))
  const blockSeconds = file.block_seconds ?? 12
  const tokens = file.tokens.length
  const market = MARKET + BY_MODEL[feeModel] + tokens
  const scanned = nativeScan === 'blocks' ? whole : ranges
  const monthOf = (pollSeconds: number, marketSeconds: number) =>
    MONTH_SECONDS * (scanned(pollSeconds, blockSeconds) + market / marketSeconds) + TOKEN_LOOKS * tokens
  return {
    blockSeconds,
    idle: monthOf(IDLE_POLL_SECONDS, MARKET_SECONDS.idle),
    busy: monthOf(file.poll_ms / 1000, MARKET_SECONDS.busy),
  }
}

/** Requests per second. The poll itself returns one of the new blocks. */
function whole(pollSeconds: number, blockSeconds: number): number {
  const more = Math.max(0, 1 / blockSeconds - 1 / pollSeconds)
  return WHOLE.look / pollSeconds + more + WHOLE.logs / Math.max(pollSeconds, blockSeconds)
}

function ranges(pollSeconds: number, blockSeconds: number): number {
  const step = RANGES.step + (blockSeconds < pollSeconds ? RANGES.several : 0)
  return RANGES.look / pollSeconds + step / Math.max(pollSeconds, blockSeconds)
}

/** The rows of the table in docs/nodes.md, in millions. */
export function loadRows(files: readonly NetworkFile[]): string[] {
  return files
    .toSorted((a, b) => a.source_rank - b.source_rank)
    .flatMap((file) => {
      const load = loadOf(file)
      if (!load) return []
      const million = (count: number) => (count / 1e6).toFixed(1)
      const { blockSeconds, idle, busy } = load
      const scan = file.settings.native_scan ?? 'blocks'
      const cells = [file.display_name, `${blockSeconds} s`, scan, file.tokens.length, million(idle), million(busy)]
      return [`| ${cells.join(' | ')} |`]
    })
}
