/** Scripted wallets, injected into a page before it loads: one for EIP-6963 and one for the Wallet Standard. */
import type { Page } from 'playwright-core'

export interface Script {
  /** How the wallet handles a transaction. */
  does: 'send' | 'reject' | 'keep silent'
  chainId?: string
  address: string
}

/** As wallets announce theirs. */
const icon =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="%23f60"/></svg>'

/** Sends by `eth_sendTransaction` through the node: the local chains know the test accounts' keys. */
export async function announceEvm(
  page: Page,
  script: Script,
  relay: (transaction: object) => Promise<string>,
  /** Other requests: signatures and chain reads. */
  other: (method: string, params: unknown[]) => Promise<unknown> = noOther,
) {
  await page.exposeFunction('relayed', relay)
  await page.exposeFunction('otherwise', other)
  await page.addInitScript(
    (given: Script & { icon: string }) => {
      let chainId = given.chainId ?? '0xaa36a7'
      const window_ = window as unknown as {
        relayed(transaction: object): Promise<string>
        otherwise(method: string, params: unknown[]): Promise<unknown>
        asked: string[]
      }
      window_.asked = []
      const provider = {
        async request({ method, params }: { method: string; params?: unknown[] }): Promise<unknown> {
          window_.asked.push(method)
          if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [given.address]
          if (method === 'eth_chainId') return chainId
          if (method === 'wallet_switchEthereumChain') {
            const [wanted] = (params ?? []) as { chainId: string }[]
            chainId = wanted?.chainId ?? chainId
            return null
          }
          if (given.does === 'reject') throw Object.assign(new Error('declined'), { code: 4001 })
          if (given.does === 'keep silent') return new Promise(() => undefined)
          if (method !== 'eth_sendTransaction') return window_.otherwise(method, params ?? [])
          return window_.relayed(params?.[0] as object)
        },
        on: () => undefined,
        removeListener: () => undefined,
      }
      const info = { uuid: 'script', name: 'Scripted', icon: given.icon, rdns: 'example.scripted' }
      const announce = () =>
        dispatchEvent(
          new CustomEvent('eip6963:announceProvider', {
            detail: Object.freeze({ info, provider: Object.freeze(provider) }),
          }),
        )
      addEventListener('eip6963:requestProvider', announce)
      announce()
    },
    { ...script, icon },
  )
}

const noOther = async (method: string): Promise<never> => {
  throw Object.assign(new Error(method), { code: 4200 })
}

export async function registerSolana(page: Page, script: Script, relay: (base64: string) => Promise<string>) {
  await page.exposeFunction('relayedSolana', relay)
  await page.addInitScript(
    (given: Script & { icon: string }) => {
      const window_ = window as unknown as { relayedSolana(base64: string): Promise<string> }
      const account = { address: given.address, publicKey: new Uint8Array(32), chains: ['solana:devnet'], features: [] }
      const wallet = {
        version: '1.0.0',
        name: 'Scripted Solana',
        icon: given.icon,
        chains: [given.chainId ?? 'solana:devnet'],
        accounts: [account],
        features: {
          'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
          'standard:events': { version: '1.0.0', on: () => () => undefined },
          'solana:signAndSendTransaction': {
            version: '1.0.0',
            supportedTransactionVersions: ['legacy', 0],
            async signAndSendTransaction({ transaction }: { transaction: Uint8Array }) {
              if (given.does === 'reject') throw Object.assign(new Error('User rejected'), { code: 4001 })
              if (given.does === 'keep silent') return new Promise(() => undefined)
              const signature = await window_.relayedSolana(btoa(String.fromCharCode(...transaction)))
              return [{ signature: Uint8Array.from(atob(signature), (letter) => letter.charCodeAt(0)) }]
            },
          },
        },
      }
      const register = (api: { register(wallet: object): void }) => api.register(wallet)
      addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail))
      dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
    },
    { ...script, icon },
  )
}
