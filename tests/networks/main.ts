/**
 * `npm run networks -- check` and `npm run networks -- draft`: compare network files with pinned packages and the
 * chains, or draft one.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { FEE_MODELS, type FeeModelName } from '../../chains/evm/src/paying/feemodels/index.ts'
import { askChain } from './ask.ts'
import { openBooks } from './books.ts'
import { checkFile, type Finding } from './check.ts'
import { type DraftOptions, draft, FINALITIES } from './draft.ts'
import { type NetworkFile, REAL, ROOT, readFiles } from './files.ts'
import { loadRows } from './load.ts'

const HELP = `npm run networks -- check [ENVIRONMENT…] [--offline]
  Compares every file of networks/ (${REAL.join(', ')}, or those named) with viem/chains, viem/tokens, the token list of Uniswap
  and the address book of Aave, and where a node answers with the chain itself. Exit code 1 where anything is wrong.

npm run networks -- load [ENVIRONMENT]
  Millions of requests a month that each network of it (mainnet) asks of its nodes, idle and busy: docs/nodes.md has the formula.

npm run networks -- draft <chain id, or name in viem/chains> [options]
  Writes networks/<environment>/<NAME>.json from the same packages. Look at it, then run check.
    --name NAME            as in INK_MAINNET; the name in viem/chains where absent
    --env ENVIRONMENT      mainnet, or testnet where viem/chains says so
    --fee-model MODEL      ${Object.keys(FEE_MODELS).join(', ')}; op_stack is known by its oracle, others are not
    --finality KIND        ${Object.keys(FINALITIES).join(', ')} (sequencer where absent)
    --block-seconds N      where viem/chains does not say (2)
    --max-fee-gwei N       what gas may cost at most (50), --max-tip-gwei N (2)
    --rank N               where it stands in lists (100)
    --print                shows it instead of writing it
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    offline: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    name: { type: 'string' },
    env: { type: 'string' },
    'fee-model': { type: 'string' },
    finality: { type: 'string', default: 'sequencer' },
    'block-seconds': { type: 'string', default: '2' },
    'max-fee-gwei': { type: 'string', default: '50' },
    'max-tip-gwei': { type: 'string', default: '2' },
    rank: { type: 'string', default: '100' },
  },
})
const [command, ...rest] = positionals
if (command === 'check' && !values.help) process.exitCode = await check(rest.length > 0 ? rest : REAL)
else if (command === 'load' && !values.help) {
  console.log(
    ['| Network | Block | Coins by | Tokens | Idle | Busy |', ...loadRows(readFiles(rest[0] ?? 'mainnet'))].join('\n'),
  )
} else if (command === 'draft' && rest[0] && !values.help) process.exitCode = make(rest[0])
else {
  console.log(HELP)
  process.exitCode = values.help || command === 'help' ? 0 : 1
}

async function check(environments: readonly string[]): Promise<number> {
  const books = openBooks()
  const rows: string[][] = []
  let wrong = 0
  let asked = 0
  const files = environments.flatMap((environment) => readFiles(environment).map((file) => ({ environment, file })))
  const chains = await Promise.all(files.map(({ file }) => (values.offline || file.inactive ? null : askChain(file))))
  for (const [index, { environment, file }] of files.entries()) {
    const told = checkFile(file, books)
    const chain = chains[index] ?? null
    if (chain) asked += 1
    const all = [...told, ...(chain ?? [])]
    wrong += all.filter(({ state }) => state === 'wrong').length
    rows.push([environment, file.name, file.inactive ? 'inactive' : summed(told), chain ? summed(chain) : 'not asked'])
    for (const { state, text } of all) if (state !== 'right') rows.push(['', '', `  ${state}: ${text}`, ''])
  }
  console.log(table([['', 'network', 'by the packages', 'by the chain'], ...rows]))
  if (asked === 0) console.log('\nNo chain was asked: no node answered, or --offline was given.')
  else console.log(`\n${asked} of ${files.length} chains were asked.`)
  console.log(wrong === 0 ? 'Nothing is contradicted.' : `${wrong} contradictions.`)
  return wrong === 0 ? 0 : 1
}

function make(wanted: string): number {
  const books = openBooks()
  const numbered = /^\d+$/.test(wanted) ? books.chains(Number(wanted)) : []
  const chain = books.chainNamed(wanted) ?? numbered[0]
  if (!chain) return refuse(`viem/chains knows no chain ${wanted}`)
  if (numbered.length > 1) return refuse(`${wanted} names ${numbered.map(({ name }) => name).join(', ')}: give a name`)
  const environment = values.env ?? (chain.testnet ? 'testnet' : 'mainnet')
  const model = values['fee-model'] ?? null
  if (model !== null && !Object.hasOwn(FEE_MODELS, model)) return refuse(`there is no fee model ${model}`)
  if (!Object.hasOwn(FINALITIES, values.finality)) return refuse(`there is no finality ${values.finality}`)
  const options: DraftOptions = {
    name: values.name ?? `${chain.name.toUpperCase().replace(/[^A-Z0-9]+/g, '')}_${environment.toUpperCase()}`,
    feeModel: model as FeeModelName | null,
    finality: values.finality as DraftOptions['finality'],
    blockSeconds: Number(values['block-seconds']),
    maxFeeGwei: Number(values['max-fee-gwei']),
    maxTipGwei: Number(values['max-tip-gwei']),
    rank: Number(values.rank),
    date: `${new Date().toISOString().slice(0, 10)}T00:00:00Z`,
  }
  const { file, doubts } = draft(chain, books, options)
  const place = path.join(ROOT, environment, `${file.name}.json`)
  if (values.print) console.log(textOf(file))
  else if (existsSync(place)) return refuse(`${place} is there already`)
  else {
    writeFileSync(place, textOf(file))
    console.log(
      `${place}\nLook at: fee_model, confirmations, final_depth, max_fee_gwei, and whether nodes answer eth_getLogs.`,
    )
  }
  for (const doubt of doubts) console.log(`doubtful: ${doubt}`)
  return 0
}

/** In the style of the other files: defaults are left out. */
function textOf(file: NetworkFile): string {
  const tokens = file.tokens.map(({ listed, ...token }) => (listed ? token : { ...token, listed }))
  return `${JSON.stringify({ ...file, tokens }, null, 2)}\n`
}

function refuse(reason: string): number {
  console.error(reason)
  return 1
}

function summed(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const bad = count('wrong')
  return bad > 0
    ? `${bad} WRONG`
    : `${count('right')} right${count('silent') ? `, ${count('silent')} unconfirmed` : ''}`
}

function table(rows: string[][]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(
      ([a = '', b = '', c = '', d = '']) =>
        `${a.padEnd(widths[0] ?? 0)}  ${b.padEnd(widths[1] ?? 0)}  ${c.padEnd(18)}  ${d}`,
    )
    .map((line) => line.trimEnd())
    .join('\n')
}
