/** What a network asks of its nodes a month, by the formula of docs/nodes.md. */
import { parseSettings } from '../../chains/evm/src/settings.ts'
import { toNetwork } from '../../server/src/catalogue/catalogue.ts'
import type { NetworkFile } from './files.ts'

const MONTH_SECONDS = 30 * 86_400
/** As the catalogue has it where a file says nothing. */
const IDLE_POLL_SECONDS = 20
/** Header and next block; a block and its logs, or a range's share, header and logs. */
const HEAD = 2
const BLOCK = 2
const RANGE = 3
/** Fees and our contracts; tokens and the fee model come on top. */
const MARKET = 7
const MARKET_SECONDS = { idle: 60, busy: 15 }
const TOKEN_LOOKS = (4 * MONTH_SECONDS) / 600
const BY_MODEL = { plain: 0, op_stack: 8, scroll: 4, mantle: 9, orbit: 1, zksync: 1 }

interface Load {
  blockSeconds: number
  /** Requests a month while nobody waits for the network, and while somebody always does. */
  idle: number
  busy: number
}

/** Null where the family asks in another way. */
function loadOf(file: NetworkFile): Load | null {
  if (file.type !== 'evm' || file.inactive) return null
  const blockSeconds = file.block_seconds ?? 12
  const tokens = file.tokens.length
  const market = MARKET + BY_MODEL[parseSettings(toNetwork(file, {})).feeModel] + tokens
  const looks = TOKEN_LOOKS * tokens
  const each = (seconds: number, requests: number) => (MONTH_SECONDS / seconds) * requests
  return {
    blockSeconds,
    idle:
      each(IDLE_POLL_SECONDS, HEAD) +
      each(Math.max(blockSeconds, IDLE_POLL_SECONDS), RANGE) +
      each(MARKET_SECONDS.idle, market) +
      looks,
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
      const { blockSeconds, idle, busy } = load
      return [
        `| ${file.display_name} | ${blockSeconds} s | ${file.tokens.length} | ${million(idle)} | ${million(busy)} |`,
      ]
    })
}
