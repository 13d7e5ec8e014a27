/** Explains a startup error in one line that says what to do; null for an unknown error, whose stack is needed. */
import { hideAddresses } from './log.ts'

interface Where {
  databaseUrl: string | undefined
  signerUrl: string | undefined
}

export function startupErrors(error: unknown, where: Where): string | null {
  if (!(error instanceof Error)) return null
  const { code, port, address, path, syscall } = error as Error & Record<string, unknown>
  const database = nameOf(where.databaseUrl)
  switch (code) {
    case 'EADDRINUSE':
      return `port ${String(port)} of ${String(address)} is taken: stop what listens there, or set PORT or INTERNAL_PORT to another`
    case 'EACCES':
      return syscall === 'listen'
        ? `port ${String(port)} may not be used by this user: set PORT or INTERNAL_PORT above 1023`
        : `${String(path)} may not be read by this user: change its owner or its mode`
    case 'EADDRNOTAVAIL':
      return `${String(address)} is no address of this machine: set HOST or INTERNAL_HOST to one that is`
    case 'ENOENT':
      return `there is no ${String(path)}: correct the setting that names it`
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return `nobody answers at ${database}: start PostgreSQL there, or correct DATABASE_URL`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name of ${database} cannot be found: correct the host in DATABASE_URL`
    case '28P01':
    case '28000':
      return `${database} refuses the user or the password: correct them in DATABASE_URL`
    case '3D000':
      return `${database} does not exist: make it (createdb), or correct the name in DATABASE_URL`
    case '42501':
      return `the user of DATABASE_URL may not do what migrations need: give it the database (${hideAddresses(error.message)})`
    case 'OUTDATED_SCHEMA':
      return `${database} was created by a version from before the schema was squashed: create a new one, or correct DATABASE_URL`
    case 'POOLED_TRANSACTIONS':
      return `${database} is behind a pooler that shares connections between transactions: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself`
    case 'NEWER_SCHEMA':
      return `${database} was used by a newer version (${error.message}): run that version, or restore a backup from before it`
    case '53300':
      return `${database} has no connection left: raise its max_connections, or stop other processes`
    case 'SIGNER_UNAVAILABLE':
    case 'SIGNER_REFUSED':
      return where.signerUrl
        ? `the signer at ${new URL(where.signerUrl).host} does not help (${hideAddresses(error.message)}): start it, or correct SIGNER_URL and SIGNER_TOKEN_FILE`
        : null
    default:
      return byMessage(error, where, database)
  }
}

/** The database driver gives these errors no code: only its text tells them apart. */
function byMessage(error: Error, { signerUrl }: Where, database: string): string | null {
  if (
    /timeout (exceeded when trying to connect|expired)|query read timeout|connection terminated/i.test(error.message)
  ) {
    return `${database} does not answer in time: look at PostgreSQL, or correct DATABASE_URL`
  }
  if (/password must be a string|no pg_hba.conf entry/i.test(error.message)) {
    return `${database} refuses the user or the password: correct them in DATABASE_URL`
  }
  // If several addresses refuse a connection, Node reports one error made of several.
  if (error instanceof AggregateError) {
    for (const one of error.errors) {
      const told = startupErrors(one, { databaseUrl: undefined, signerUrl })
      if (told !== null) return told.replace('the database', database)
    }
  }
  return null
}

/** Host, port and name of a database URL, without user and password. */
function nameOf(url: string | undefined): string {
  if (!url || !URL.canParse(url)) return 'the database'
  const { host, pathname } = new URL(url)
  return `the database ${pathname.slice(1) || '(none named)'} at ${host}`
}
