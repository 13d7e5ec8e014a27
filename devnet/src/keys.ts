/** The API keys to try with, of the sandbox's own app: the same at every start, and good nowhere else. */
import { type Config, sandboxKey } from '@causeway/server'

export interface SandboxKeys {
  environment: string
  /** For pages. */
  public: string
  /** For servers. */
  secret: string
}

export function keysOf({ environment }: Pick<Config, 'environment'>): SandboxKeys {
  return {
    environment,
    public: sandboxKey(environment, 'public').key,
    secret: sandboxKey(environment, 'secret').key,
  }
}
