/** The API keys of the sandbox's app: the same at every start, and valid only here. */
import { type Config, sandboxKey } from '@causeway/server'

export interface SandboxKeys {
  environment: string
  /** The public key, for pages. */
  public: string
  /** The secret key, for servers. */
  secret: string
}

export function keysOf({ environment }: Pick<Config, 'environment'>): SandboxKeys {
  return {
    environment,
    public: sandboxKey(environment, 'public').key,
    secret: sandboxKey(environment, 'secret').key,
  }
}
