/** Well-known wallets per family, for people who have none here: a link that opens the app, or where to get it. */
import type { NetworkType } from '@causeway/sdk/light'

export interface KnownWallet {
  name: string
  /** A logo on our own origin; null if there is none. */
  icon: string | null
  /** Whether the link opens this page inside the wallet's app; otherwise it leads to the wallet's own site. */
  opens: boolean
  link(page: string): string
}

const isPhone = () => matchMedia('(pointer: coarse)').matches
const at = (site: string) => () => site

/** The files of `public/wallets`. */
const DRAWN = ['metamask', 'coinbase', 'rabby', 'phantom', 'solflare', 'backpack', 'okx', 'keplr']

/** `app`: opens a page in the wallet's own browser, on a phone. */
function wallet(name: string, site: string, app?: (page: string) => string): () => KnownWallet {
  const file = DRAWN.find((drawn) => name.toLowerCase().startsWith(drawn))
  const icon = file ? `/wallets/${file}.svg` : null
  return () =>
    app && isPhone() ? { name, icon, opens: true, link: app } : { name, icon, opens: false, link: at(site) }
}

const withoutScheme = (page: string) => page.replace(/^https?:\/\//, '')
const asQuery = (page: string) => encodeURIComponent(page)

const METAMASK = wallet(
  'MetaMask',
  'https://metamask.io/download/',
  (page) => `https://link.metamask.io/dapp/${withoutScheme(page)}`,
)
const PHANTOM = wallet(
  'Phantom',
  'https://phantom.com/download',
  (page) => `https://phantom.app/ul/browse/${asQuery(page)}?ref=${asQuery(new URL(page).origin)}`,
)
const COINBASE = wallet(
  'Coinbase Wallet',
  'https://www.coinbase.com/wallet/downloads',
  (page) => `https://go.cb-w.com/dapp?cb_url=${asQuery(page)}`,
)

const KNOWN: Partial<Record<NetworkType, (() => KnownWallet)[]>> = {
  evm: [METAMASK, COINBASE, wallet('Rabby', 'https://rabby.io/')],
  solana: [
    PHANTOM,
    wallet('Solflare', 'https://www.solflare.com/download/'),
    wallet('Backpack', 'https://backpack.app/'),
  ],
  ton: [wallet('Tonkeeper', 'https://tonkeeper.com/'), wallet('MyTonWallet', 'https://mytonwallet.io/')],
  bitcoin: [wallet('UniSat', 'https://unisat.io/download'), wallet('OKX Wallet', 'https://web3.okx.com/download')],
  tron: [wallet('TronLink', 'https://www.tronlink.org/')],
  starknet: [wallet('Ready', 'https://www.ready.co/'), wallet('Braavos', 'https://braavos.app/')],
  paradex: [wallet('Ready', 'https://www.ready.co/'), wallet('Braavos', 'https://braavos.app/')],
  cosmos: [wallet('Keplr', 'https://www.keplr.app/get'), wallet('Leap', 'https://www.leapwallet.io/download')],
  fuel: [wallet('Fuel Wallet', 'https://wallet.fuel.network/')],
}

export function knownFor(type: NetworkType): KnownWallet[] {
  return (KNOWN[type] ?? []).map((make) => make())
}
