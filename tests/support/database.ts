/** A PostgreSQL for a test file, with as many fresh databases as it wants. */
import { startPostgres } from '../../devnet/src/postgres.ts'

export interface TestDatabase {
  /** A fresh database. */
  url: string
  /** Another one. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

export async function startDatabase(settings: Record<string, string> = {}): Promise<TestDatabase> {
  const postgres = await startPostgres({ settings })
  const { createDatabase, stop } = postgres
  return { url: await createDatabase(), createDatabase, stop }
}
