/** The signer process of `SIGNER=remote`, with a policy that a test can change between two starts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { SANDBOX_MNEMONIC } from '@causeway/devnet'
import { ended } from './crashing.ts'
import { bareEnvironment } from './environment.ts'

const SIGNER = path.join(import.meta.dirname, '../../../server/src/keys/signer-process/signer-server.ts')

export interface SignerProcess {
  /** Starts it, or starts it again with this policy per network. */
  start(policy?: Record<string, unknown>): Promise<void>
  kill(): Promise<void>
  /** The settings of a service that uses it. */
  env(): Record<string, string>
}

/** `networks`: the setting `NETWORKS` of the service, which the signer must share. */
export function createSignerProcess(networks: string): SignerProcess {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-signer-'))
  const [token, file] = ['token', 'policy.json'].map((name) => path.join(folder, name)) as [string, string]
  writeFileSync(token, 'a-token-of-the-tests-that-is-long-enough')
  const signerEnv = {
    ...bareEnvironment(),
    ...{ SIGNER: 'mnemonic', MNEMONIC: SANDBOX_MNEMONIC, NETWORKS: networks },
    ...{ SIGNER_TOKEN_FILE: token, SIGNER_POLICY_FILE: file, SIGNER_PORT: '0' },
    SIGNER_JOURNAL_FOLDER: path.join(folder, 'journal'),
  }
  let running: { child: ChildProcess; url: string } | null = null
  const signer: SignerProcess = {
    async start(policy) {
      await signer.kill()
      if (policy) writeFileSync(file, JSON.stringify({ networks: policy }))
      running = await spawned(signerEnv)
    },
    async kill() {
      const child = running?.child
      running = null
      child?.kill('SIGKILL')
      if (child) await ended(child)
    },
    env: () => ({ SIGNER: 'remote', SIGNER_URL: running?.url ?? '', SIGNER_TOKEN_FILE: token }),
  }
  return signer
}

async function spawned(env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [...process.execArgv, SIGNER], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    const { msg, port } = JSON.parse(line)
    if (msg !== 'signer started') continue
    child.stdout.resume()
    return { child, url: `http://127.0.0.1:${port}` }
  }
  throw new Error('the signer did not start')
}
