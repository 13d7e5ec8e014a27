/** The worker of the plain retry queue: an ordinary one, in a process that is killed every two seconds. */
import pg from 'pg'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'

const { DATABASE_URL, NODE_URL, CHAIN_ID, SECRET } = process.env
const database = new pg.Client({ connectionString: DATABASE_URL ?? '' })
await database.connect()
const wallet = createWalletClient({
  account: privateKeyToAccount(SECRET as Hex),
  chain: { ...hardhat, id: Number(CHAIN_ID) },
  transport: http(NODE_URL, { timeout: 1_000, retryCount: 0 }),
}).extend(publicActions)
process.send?.('ready')
// The earlier worker on these has crashed.
await database.query("update naive_job set state = 'waiting' where state = 'running'")
for (;;) {
  const { rows } = await database.query<{ id: number; recipient: Hex; units: string }>(
    `update naive_job set state = 'running' where id = (select id from naive_job where state = 'waiting' order by id limit 1)
     returning id, recipient, units`,
  )
  const [job] = rows
  if (!job) break
  try {
    await wallet.sendTransaction({ to: job.recipient, value: BigInt(job.units) })
    await database.query("update naive_job set state = 'done' where id = $1", [job.id])
  } catch {
    await database.query("update naive_job set state = 'waiting' where id = $1", [job.id])
  }
}
await new Promise(() => setInterval(() => undefined, 1_000))
