/** Public nodes allow little without a key: logged once at the start, with the setting that fixes it. */
import type { ChainLog, Network } from '@causeway/core'

/** One request per second without a key, which a busy minute exceeds. */
const COUNTING_HOST = /(^|\.)toncenter\.com$/

const told = new Set<string>()

export function askForKey({ name, nodes }: Network, log: ChainLog): void {
  const keyless = nodes.map((node) => new URL(node)).filter(isKeyless)
  if (keyless.length === 0 || told.has(name)) return
  told.add(name)
  const setting = `NODES_${name}=${keyless[0]?.origin}${keyless[0]?.pathname}?api_key=…`
  log.warn({ network: name, setting }, 'a public node without a key answers one request a second: get a key for it')
}

function isKeyless({ hostname, searchParams }: URL): boolean {
  return COUNTING_HOST.test(hostname) && !searchParams.has('api_key')
}
