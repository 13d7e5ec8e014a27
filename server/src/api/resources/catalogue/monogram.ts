/** Draws a logo: a few letters on a colour that depends only on the name. */

/** Well-known brand colours. Other names get one from the colour wheel. */
const BRAND: Record<string, string> = {
  ETH: '#627EEA',
  WETH: '#627EEA',
  BTC: '#F7931A',
  USDC: '#2775CA',
  USDT: '#26A17B',
  DAI: '#F5AC37',
  SOL: '#9945FF',
  TON: '#0098EA',
  TRX: '#EB0029',
  BNB: '#F0B90B',
  POL: '#8247E5',
  AVAX: '#E84142',
  STRK: '#29296E',
  ATOM: '#2E3148',
  OSMO: '#5E12A0',
  ETHEREUM: '#627EEA',
  ARBITRUM: '#213147',
  BASE: '#0052FF',
  OPTIMISM: '#FF0420',
  POLYGON: '#8247E5',
  BSC: '#F0B90B',
  LINEA: '#121212',
  SCROLL: '#FFEEDA',
  ZKSYNC: '#1E69FF',
  ZKSYNCLITE: '#1E69FF',
  BITCOIN: '#F7931A',
  SOLANA: '#9945FF',
  TRON: '#EB0029',
  STARKNET: '#29296E',
  PARADEX: '#6100FF',
  FUEL: '#00F58C',
  COSMOS: '#2E3148',
  OSMOSIS: '#5E12A0',
  HYPERLIQUID: '#072723',
}

export interface Monogram {
  letters: string
  /** The name that determines the colour. */
  name: string
  shape: 'circle' | 'square'
}

export function drawMonogram({ letters, name, shape }: Monogram): string {
  const key = name.toUpperCase().split('_')[0] ?? ''
  const fill = BRAND[key] ?? fromWheel(key)
  const size = [0, 30, 26, 21, 17][letters.length] ?? 14
  const back =
    shape === 'circle'
      ? `<circle cx="32" cy="32" r="32" fill="${fill}"/>`
      : `<rect width="64" height="64" rx="16" fill="${fill}"/>`
  const text = `<text x="32" y="32" dy=".36em" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="${size}" fill="${isLight(fill) ? '#111' : '#fff'}">${escaped(letters)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${escaped(name)}">${back}${text}</svg>`
}

/** The initials of several words, or the first letters of one. */
export function initialsOf(text: string): string {
  const words = text.split(/[\s_-]+/).filter((word) => word !== '')
  const letters = words.length > 1 ? words.slice(0, 3).map((word) => word[0] ?? '') : [...(words[0] ?? '?')].slice(0, 2)
  return letters.join('').toUpperCase()
}

function fromWheel(key: string): string {
  let hash = 0
  for (const letter of key) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hex(hash % 360)
}

/** A muted colour of this hue, dark enough for white letters. */
function hex(hue: number): string {
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const value = 0.42 - 0.24 * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

function isLight(fill: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 > 170
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`)
}
