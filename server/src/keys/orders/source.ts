/** Selects where orders are signed: with the journal in a folder of this machine, or by a signer process. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ChainAdapter } from '@causeway/core'
import { type Config, ConfigError } from '../../config.ts'
import { readToken } from '../backends/files.ts'
import { openJournal } from '../journal/journal.ts'
import type { Entry } from '../journal/line.ts'
import { type JournalLines, readJournal } from '../journal/read.ts'
import { listSegments } from '../journal/segment.ts'
import { localOrders } from './local.ts'
import type { OrderSigner } from './orders.ts'
import { claimJournal, remoteOrders } from './remote.ts'

type Folders = Pick<Config, 'journalFolder' | 'journalCopy' | 'dataFolder'>
type Settings = Folders & Pick<Config, 'signer' | 'signerUrl' | 'signerTokenFile' | 'signerTimeoutMs'>

export interface OrderSource {
  /** The name for log lines. */
  name: string
  /** Null if there is no journal yet. */
  open(): Promise<OrderSigner | null>
  /** Creates a journal for this database. */
  create(database: string): Promise<OrderSigner>
}

interface Parts {
  now: () => Date
  adapterOf(network: string): ChainAdapter | Promise<ChainAdapter>
  onBroken(error: unknown): void
}

export function orderSource(settings: Settings, databaseId: string, { now, adapterOf, onBroken }: Parts): OrderSource {
  if (settings.signer === 'remote') return signerProcess(settings)
  const [folder, copy = null] = journalFolders(settings, databaseId)
  return {
    name: folder,
    async open() {
      if (![folder, copy].some(hasLines)) return null
      const journal = await openJournal({ folder, copy, now, onBroken })
      if (journal.database() !== null) return localOrders({ journal, adapterOf })
      // A crash came before its first line: it belongs to no database yet.
      await journal.end()
      return null
    },
    async create(database) {
      const journal = await openJournal({ folder, copy, now, onBroken, database })
      if (journal.database() === null) await journal.claim(database)
      return localOrders({ journal, adapterOf })
    },
  }
}

function signerProcess({ signerUrl = '', signerTokenFile, signerTimeoutMs }: Settings): OrderSource {
  const token = readToken(signerTokenFile, 'SIGNER_TOKEN_FILE')
  const connection = { url: signerUrl, token, timeoutMs: signerTimeoutMs }
  return {
    name: signerUrl,
    async open() {
      const orders = remoteOrders(connection)
      // The signer creates its journal when it starts. The journal has no database until a service claims it.
      return (await orders.status()).database === null ? null : orders
    },
    create: (database) => claimJournal(connection, database),
  }
}

/** The lines of the journal, read while another process may write them: from its folder, or from the signer process. */
export async function readLines(settings: Settings, databaseId: string): Promise<JournalLines> {
  if (settings.signer !== 'remote') return readJournal(journalFolders(settings, databaseId))
  const orders = await signerProcess(settings).open()
  if (!orders) throw new ConfigError('the signer process has no journal of this database')
  return linesOf(orders)
}

export async function linesOf(orders: OrderSigner): Promise<JournalLines> {
  const { head, id } = await orders.status()
  const entries: Entry[] = []
  for await (const entry of orders.lines(0)) entries.push(entry)
  return { id, head: () => head, after: (n) => entries.filter((entry) => entry.n > n) }
}

/**
 * The journal's folder and, if configured, the folder of its copy. Without a setting each database has its own folder.
 */
export function journalFolders(
  { journalFolder, journalCopy, dataFolder }: Folders,
  databaseId: string,
): [folder: string, copy?: string] {
  const folder = journalFolder ?? path.join(dataFolder, 'journal', databaseId)
  return journalCopy === undefined ? [folder] : [folder, journalCopy]
}

/** Whether the folder has segments. A mark without segments is the remainder of a deleted journal. */
function hasLines(folder: string | null): boolean {
  if (folder === null || !existsSync(folder)) return false
  return listSegments(folder).length > 0 || existsSync(path.join(folder, 'mark'))
}
