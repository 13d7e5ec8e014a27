/** A token's logo with its network's in the corner. Both come from the service, never from a third party. */

interface Drawn {
  symbol: string
  logo: string
}
interface Place {
  name: string
  logo: string
}

/** Coins and the networks that they are named after: there a badge would repeat the logo. */
const HOMES: Record<string, RegExp> = {
  ETH: /^ETHEREUM_/,
  BTC: /^BITCOIN_/,
  SOL: /^SOLANA_/,
  TON: /^TON_/,
  TRX: /^TRON_/,
  OSMO: /^OSMOSIS_/,
  STRK: /^STARKNET_/,
  POL: /^POLYGON_/,
  BNB: /^BSC_|^BNB/,
  AVAX: /^AVAX|^AVALANCHE/,
}

export function TokenLogo({ token, network }: { token: Drawn; network: Place }) {
  const isHome = HOMES[token.symbol]?.test(network.name) ?? false
  return <Logo token={token.logo} network={isHome ? undefined : network.logo} />
}

export function Logo({ token, network }: { token?: string | undefined; network?: string | undefined }) {
  return (
    <span class={token ? 'logo' : 'logo network'} aria-hidden="true">
      {token && <img src={ownPath(token)} alt="" width={32} height={32} loading="lazy" />}
      {network && <img src={ownPath(network)} alt="" width={token ? 15 : 32} height={token ? 15 : 32} loading="lazy" />}
    </span>
  )
}

/**
 * The path of a logo in the sprite: `/logos/tokens/ETH.svg` is `#tokens-ETH` in it. Always from the page's own origin.
 */
function ownPath(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : url
  const [, kind, name] = /^\/logos\/(networks|tokens)\/(.+)\.svg$/.exec(path) ?? []
  return kind ? `/logos/sprite.svg#${kind}-${name}` : path
}
