/** Compares a network file with the packages. A contradiction is wrong; a value that no package has is reported. */
import type { FeeModelName } from '../../chains/evm/src/paying/feemodels/index.ts'
import { parseSettings } from '../../chains/evm/src/settings.ts'
import { toNetwork } from '../../server/src/catalogue/catalogue.ts'
import { type Books, type BookToken, SOLANA, SOURCES, sameAddress, sameSymbol } from './books.ts'
import type { NetworkFile } from './files.ts'

export interface Finding {
  /** `silent`: no package contradicts or confirms it. */
  state: 'right' | 'wrong' | 'silent'
  text: string
}

/** A token contract that is another view of the native coin: a transfer would be counted twice. */
const FACES: Record<string, string> = {
  '137': '0x0000000000000000000000000000000000001010',
  '324': '0x000000000000000000000000000000000000800A',
  '1088': '0xDeadDeAddeAddEAddeadDEaDDEAdDeaDDeAD0000',
  '2741': '0x000000000000000000000000000000000000800A',
  '42220': '0x471EcE3750Da237f93B8E339c536989b8978a438',
  '50104': '0x000000000000000000000000000000000000800A',
}

/** Public nodes that do not serve the requests of this check. */
const POOR_NODES: Record<string, string> = {
  'polygon-rpc.com': 'is closed since February 2026',
  'eth.drpc.org': 'takes batches of three',
  'bsc-dataseed.bnbchain.org': 'has no eth_getLogs',
}

export function checkFile(file: NetworkFile, books: Books): Finding[] {
  const isEvm = file.type === 'evm'
  const id = isEvm ? Number(file.chain_id) : file.type === 'solana' ? SOLANA : null
  return [...(isEvm ? checkChain(file, books) : []), ...checkNodes(file), ...checkTokens(file, id, books)]
}

function checkChain(file: NetworkFile, books: Books): Finding[] {
  const known = books.chains(Number(file.chain_id))
  if (known.length === 0) return [wrong(`viem/chains knows no chain ${file.chain_id}`)]
  const native = file.tokens.find(({ contract }) => contract === null)
  const chain = known.find(
    ({ nativeCurrency: { symbol, decimals } }) =>
      // Test networks put a letter before the symbol.
      native && symbol.toUpperCase().endsWith(native.symbol.toUpperCase()) && decimals === native.decimals,
  )
  if (!chain) {
    const theirs = known.map(({ name, nativeCurrency: { symbol, decimals } }) => `${name} with ${symbol} (${decimals})`)
    return [wrong(`chain ${file.chain_id} is ${theirs.join(', ')} by viem/chains`)]
  }
  const { feeModel, multicall } = parseSettings(toNetwork(file, {}))
  const theirs = chain.contracts?.multicall3
  const address = theirs && 'address' in theirs ? String(theirs.address) : null
  const model = modelOf(chain.contracts ?? {})
  return [
    right(`chain ${chain.id}: ${chain.name}, ${chain.nativeCurrency.symbol}`),
    address && !sameAddress(address, multicall) ? wrong(`multicall is at ${address} by viem/chains`) : null,
    model && feeModel !== model ? wrong(`viem/chains has an oracle for its fees: fee_model must be ${model}`) : null,
  ].filter((finding) => finding !== null)
}

/** The fee model, as far as the chain's own contracts reveal it; those of Orbit and zkSync do not. */
export function modelOf(contracts: object): FeeModelName | null {
  return 'gasPriceOracle' in contracts ? 'op_stack' : null
}

function checkNodes({ nodes }: NetworkFile): Finding[] {
  return nodes.flatMap((url) => {
    const { hostname } = new URL(url)
    return POOR_NODES[hostname] ? [wrong(`${hostname} ${POOR_NODES[hostname]}`)] : []
  })
}

function checkTokens(file: NetworkFile, id: number | null, books: Books): Finding[] {
  return file.tokens.flatMap((token) => {
    if (token.contract === null) return []
    if (sameAddress(FACES[file.chain_id ?? ''] ?? '', token.contract)) {
      return [wrong(`${token.symbol} is the native coin's second face: one transfer would count twice`)]
    }
    const { contract } = token
    // Few packages cover other families: an unconfirmed value is reported for review.
    if (id === null || (file.type !== 'evm' && !token.confirmed_by)) {
      return [silent(`${token.symbol}: no package confirms it`)]
    }
    return checkToken(
      token,
      books.tokens(id).filter(({ address }) => sameAddress(address, contract)),
    )
  })
}

function checkToken(token: NetworkFile['tokens'][number], entries: BookToken[]): Finding[] {
  const { symbol, decimals, confirmed_by: named = [] } = token
  const other = entries.find((entry) => entry.decimals !== decimals)
  if (other) return [wrong(`${symbol} has ${other.decimals} decimals by ${other.source}, not ${decimals}`)]
  if (named.length === 0) return [wrong(`${symbol} at ${token.contract} names no package that confirms it`)]
  const problems = named.flatMap((source) => {
    if (!SOURCES.some((known) => known === source)) return [wrong(`${symbol}: ${source} is no package that is asked`)]
    const isThere = entries.some((entry) => entry.source === source)
    return isThere ? [] : [wrong(`${symbol} is not at ${token.contract} by ${source}`)]
  })
  if (problems.length > 0) return problems
  if (!entries.some((entry) => named.includes(entry.source) && sameSymbol(entry.symbol, symbol))) {
    return [wrong(`${token.contract} is ${entries.map((entry) => entry.symbol).join(', ')}, not ${symbol}`)]
  }
  return [right(`${symbol}: ${named.join(', ')}`)]
}

const right = (text: string): Finding => ({ state: 'right', text })
const wrong = (text: string): Finding => ({ state: 'wrong', text })
const silent = (text: string): Finding => ({ state: 'silent', text })
