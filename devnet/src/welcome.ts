/** The welcome screen of a sandbox that has just started. */
import { accountsOn, type Devnet, type Network } from '@causeway/core'
import type { Sandbox } from './sandbox.ts'

/** Number of accounts listed here; the API returns all. */
const SHOWN_ACCOUNTS = 3

export function welcome(sandbox: Sandbox, url: string): string {
  const { networks } = sandbox.catalogue
  const devnets = [...new Set(sandbox.devnets.values())]
  const parts = [
    `\nCauseway sandbox: local chains under the names of ${sandbox.keys.environment} networks, and money that is worth nothing`,
    table([
      ['Pages', url, 'a swap by clicks, with a test wallet'],
      ['API', `${url}/api/v2`, `explained at ${url}/docs`],
      ['Console', `${url}/operator`, 'for the operator: log in as sandbox, password sandbox'],
      ['This sandbox', `${url}/sandbox`, 'money, blocks and reorgs on demand'],
      ['Metrics', `${sandbox.internalUrl}/metrics`, ''],
    ]),
    `API keys of the app "sandbox", for the header X-LS-APIKEY: the same at every start, good in no other place\n${keyTable(sandbox)}`,
    `The operator's command line (--help lists what it can do)\n${table([
      ['Database', sandbox.databaseUrl],
      ['Start it', `DATABASE_URL=${sandbox.databaseUrl} npm run admin -- swap list --owed`],
    ])}`,
    `Networks\n${table(networks.map((network) => networkRow(network, sandbox.devnets.get(network.name))))}`,
    ...devnets.map((devnet) => accountsOf(devnet, networks, sandbox)),
  ]
  if (sandbox.leftOut.length > 0) {
    const { FAMILIES } = sandbox.env
    const why = `${FAMILIES ? `not of FAMILIES=${FAMILIES}, or ` : ''}having no local chain`
    parts.push(`Left out, ${why}: ${sandbox.leftOut.join(', ')}`)
  }
  const example = exampleOf(sandbox, url)
  if (example) parts.push(example)
  parts.push('Ctrl-C stops everything and forgets it.\n')
  return parts.join('\n\n')
}

function keyTable({ keys }: Sandbox): string {
  return table([
    ['public', keys.public, 'for pages: quote, create, follow a swap'],
    ['secret', keys.secret, "for servers: also lists of the app's own swaps, webhooks, refund addresses"],
  ])
}

function networkRow(network: Network, devnet: Devnet | undefined): string[] {
  const tokens = network.tokens.map(({ symbol }) => symbol).join(' ')
  const engine = `${devnet?.engine ?? ''}${devnet?.simulated ? ' (simulated)' : ''}`
  return [network.name, network.chainId ?? '-', devnet?.nodes[network.name] ?? '-', tokens, engine]
}

function accountsOf(devnet: Devnet, networks: readonly Network[], { devnets }: Sandbox): string {
  const types = new Set(networks.filter(({ name }) => devnets.get(name) === devnet).map(({ type }) => type))
  const shown = devnet.accounts.slice(0, SHOWN_ACCOUNTS).map(({ address, secret }) => [address, secret])
  const count = devnet.accounts.length
  return `Test accounts (${[...types].join(', ')}): ${count} of them, funded with every token; the first ${shown.length}\n${table(shown)}`
}

/** A swap between the first two networks, from creation to payout, ready to paste. */
function exampleOf({ catalogue, devnets, keys }: Sandbox, url: string): string | null {
  const [source, destination] = [...catalogue.networks].sort((a, b) => a.sourceRank - b.sourceRank)
  const devnet = destination && devnets.get(destination.name)
  const recipient = devnet && accountsOn(devnet, destination.name)[1]
  if (!source || !destination || !recipient) return null
  const body = {
    source_network: source.name,
    source_token: source.nativeToken.symbol,
    destination_network: destination.name,
    destination_token: destination.nativeToken.symbol,
    destination_address: recipient.address,
    amount: 0.1,
  }
  const json = `-H 'content-type: application/json'`
  const readId = `node -p 'JSON.parse(fs.readFileSync(0)).data.swap.id'`
  return [
    'Try it: create a swap, let a test account deposit for it, look at it',
    `  ID=$(curl -s ${url}/api/v2/swaps ${json} -H 'X-LS-APIKEY: ${keys.public}' -d '${JSON.stringify(body)}' | ${readId})`,
    `  curl -s ${url}/sandbox/deposit ${json} -d "{\\"swap_id\\":\\"$ID\\"}"`,
    `  curl -s ${url}/api/v2/swaps/$ID`,
  ].join('\n')
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n')
}
