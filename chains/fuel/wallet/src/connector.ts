/**
 * Wallets with the Fuel connector interface. A deposit is a script request without coins: the wallet estimates it, adds
 * coins for its outputs and its fee, asks the user, and sends it.
 */
import { type Account, type Step, type Wallet, type WalletAction, WalletProblem } from '@causeway/core/wallet'

export interface Connector {
  name?: string
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  currentAccount(): Promise<string | null>
  currentNetwork(): Promise<{ chainId?: number }>
  selectNetwork?(network: { url: string; chainId?: number }): Promise<boolean>
  sendTransaction(address: string, request: unknown): Promise<string | { id: string }>
  signMessage?(address: string, text: string): Promise<string>
  on(event: 'currentAccount', listener: (account: string | null) => void): unknown
  off(event: 'currentAccount', listener: (account: string | null) => void): unknown
}

export function isConnector(value: unknown): value is Connector {
  const needed = ['connect', 'currentAccount', 'currentNetwork', 'sendTransaction', 'on', 'off']
  return typeof value === 'object' && value !== null && needed.every((name) => name in value)
}

export function walletOf(connector: Connector): Wallet {
  const name = connector.name ?? 'Fuel Wallet'
  const accountOf = (address: string): Account => ({ address, wallet: name })
  const network = async () => {
    const { chainId } = await connector.currentNetwork()
    return chainId === undefined ? null : String(chainId)
  }
  return {
    id: `fuel ${name}`,
    name,
    icon: null,
    kind: 'injected',
    async connect() {
      if (!(await connector.connect().catch(fail))) throw new WalletProblem('rejected')
      const address = await connector.currentAccount().catch(fail)
      if (address === null) throw new WalletProblem('locked')
      return [accountOf(address)]
    },
    async disconnect() {
      await connector.disconnect().catch(() => undefined)
    },
    onChange(listener) {
      const tell = (address: string | null) => listener(address === null ? [] : [accountOf(address)])
      connector.on('currentAccount', tell)
      return () => void connector.off('currentAccount', tell)
    },
    network,
    ...(connector.selectNetwork && {
      async switchTo({ nodes, chain_id: chainId }) {
        const [url] = nodes
        if (!url) throw new WalletProblem('unsupported')
        const taken = await connector
          .selectNetwork?.({ url, ...(chainId === null ? {} : { chainId: Number(chainId) }) })
          .catch(fail)
        if (!taken) throw new WalletProblem('rejected')
      },
    }),
    async steps(action, { address }) {
      const request = requestOf(action)
      const now = await connector.currentAccount().catch(fail)
      if (!isSame(now, address)) throw new WalletProblem('wrong_account')
      const { chain_id: wanted } = action.network
      if (wanted !== null && (await network().catch(fail)) !== wanted) throw new WalletProblem('wrong_network')
      return [{ kind: 'deposit', request }]
    },
    send: (step, { address }) => send(connector, step, address),
    ...(connector.signMessage && {
      async signText(text: string, { address }: Account) {
        const now = await connector.currentAccount().catch(fail)
        if (now === null || !isSame(now, address)) throw new WalletProblem('wrong_account')
        const signature = await connector.signMessage?.(now, text).catch(fail)
        if (!signature) throw new WalletProblem('unsupported')
        return signature
      },
    }),
  }
}

/** The request of the action's call data. Without one the network cannot name a swap, and a deposit address is used. */
function requestOf({ call_data: data }: WalletAction): unknown {
  try {
    const { script } = JSON.parse(data ?? '') as { script?: unknown }
    if (script) return script
  } catch {
    // Not a request: handled below.
  }
  throw new WalletProblem('unsupported')
}

async function send(connector: Connector, { request }: Step, address: string): Promise<{ hash: string }> {
  const answer = await connector.sendTransaction(address, request).catch(refuse)
  return { hash: typeof answer === 'string' ? answer : answer.id }
}

const isSame = (a: string | null, b: string) => a?.toLowerCase() === b.toLowerCase()

const textOf = (error: unknown) => ((error ?? {}) as { message?: string }).message ?? String(error)

/** A refusal or missing coins is final. After any other error the transaction may have been sent. */
function refuse(error: unknown): never {
  if (/reject|denied|cancel/i.test(textOf(error))) throw new WalletProblem('rejected', error)
  if (/not enough|insufficient/i.test(textOf(error))) throw new WalletProblem('funds', error)
  throw new WalletProblem('no_answer', error)
}

function fail(error: unknown): never {
  if (/reject|denied|cancel/i.test(textOf(error))) throw new WalletProblem('rejected', error)
  throw new WalletProblem(/lock/i.test(textOf(error)) ? 'locked' : 'failed', error)
}
