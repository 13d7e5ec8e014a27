/** The operator after a rollback: the commands that replay the journal and let the service sign again, as they are typed. */
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const CLI = path.join(import.meta.dirname, '../../../server/src/admin/cli/main.ts')

export interface Operator {
  /** Runs `restore --apply` and `restore --resume`, and ends a pause. Returns the output. */
  restore(): Promise<string>
}

/** An operator with the environment of the service. The first one of a database adds themself. */
export async function addOperator(env: Record<string, string>): Promise<Operator> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-operator-'))
  const [privateFile, publicFile] = ['ada.pem', 'ada.pub'].map((name) => path.join(folder, name)) as [string, string]
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(privateFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  writeFileSync(publicFile, publicKey.export({ format: 'pem', type: 'spki' }))
  const type = async (...words: string[]) => {
    const own = { ...process.env, ...env, OPERATOR_KEY_FILE: privateFile }
    return (await promisify(execFile)(process.execPath, [CLI, ...words], { env: own })).stdout
  }
  await type('operator', 'add', 'ada', '--role', 'admin', '--key', publicFile)
  return {
    async restore() {
      const printed = [await type('restore', '--apply'), await type('restore', '--resume')]
      // A start that finds our own transactions which the database has forgotten pauses everything.
      if ((await type('switch', 'list')).includes('service')) {
        printed.push(await type('switch', 'resume', '--scope', 'service'))
      }
      return printed.join('')
    },
  }
}
