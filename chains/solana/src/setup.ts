/**
 * Creates the nonce accounts that payouts need, once per network and treasury. A keypair of the operator pays for them
 * and they are derived from it, but only the treasury can use them. The treasury's key is not needed.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { getBase58Decoder } from '@solana/kit'
import { parseAddress } from './address.ts'
import { accounts } from './node/calls.ts'
import { openNode } from './node/node.ts'
import { walletOf } from './paying/keypair.ts'
import { makeNonceAccount } from './paying/make-nonce-account.ts'
import { nonceAddresses, nonceValue } from './paying/nonce.ts'

const HELP = `Makes the nonce accounts of a Solana network (about 0.0015 SOL each, once).

  node chains/solana/src/setup.ts --node URL --treasury ADDRESS --keypair keypair.json [--count 8]

--treasury  the service's hot wallet on this network; it alone can use the accounts
--keypair   a file as solana-keygen writes it, with a little SOL; keep it only if you want to add accounts later
--count     how many payouts may be under way at once, 1 to 100

What is there already is left alone. Put the settings that are printed into the network's file.`

const TIMEOUT_MS = 10_000
const MOST = 100

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { node: text, treasury: text, keypair: text, count: text, help: { type: 'boolean', short: 'h' } },
  })
  const treasury = parseAddress(values.treasury ?? '')
  const count = Number(values.count ?? 8)
  if (values.help || !values.node || !treasury || !values.keypair || !(count >= 1 && count <= MOST)) {
    return console.log(HELP)
  }
  const node = openNode(values.node, { timeoutMs: TIMEOUT_MS, parallel: 4 })
  const wallet = await walletOf(readKeypair(values.keypair))
  const nonces = await nonceAddresses(wallet.address, count)
  const [{ accounts: found }] = await node.ask([accounts(nonces)])
  for (const [number, nonce] of nonces.entries()) {
    const isThere = nonceValue(found[number] ?? null, treasury) !== null
    if (!isThere) await makeNonceAccount(node, wallet, treasury, { nonce, number })
    console.log(`${nonce}  ${isThere ? 'is there' : 'made'}`)
  }
  console.log(`\n"settings": { "nonce_base": "${wallet.address}", "nonce_accounts": ${count} }`)
}

/** Reads a keypair file, 64 bytes as a JSON list. No message repeats its content. */
function readKeypair(file: string): string {
  const bytes: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const isKeypair = Array.isArray(bytes) && bytes.length === 64 && bytes.every((byte) => Number.isInteger(byte))
  if (!isKeypair) throw new Error(`${file} is no keypair as solana-keygen writes it`)
  return getBase58Decoder().decode(Uint8Array.from(bytes))
}
