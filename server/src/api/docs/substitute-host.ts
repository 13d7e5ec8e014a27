/** Guides name sandbox networks. If the service lists the mainnet counterparts instead, the commands name those. */

/** Replaces the network names in a command. */
export type SubstituteHost = (text: string) => string

const NAMES = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']

export function substituteHostFor(listed: readonly string[]): SubstituteHost {
  const pairs = NAMES.flatMap((name) => {
    const sister = name.replace(/_[A-Z]+$/, '_MAINNET')
    return !listed.includes(name) && listed.includes(sister) ? [[name, sister] as const] : []
  })
  return (text) => pairs.reduce((told, [name, sister]) => told.replaceAll(name, sister), text)
}
