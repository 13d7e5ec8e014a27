/**
 * Results of a survey of the chain, kept in memory so that an API request asks no node. Before the first survey
 * everything counts as absent.
 */
export interface Facts {
  /** Whether the Depository is deployed, not paused, and has our treasury as a receiver. */
  depositoryIsOpen: boolean
  /** Whether the factory is deployed, sends to our treasury, and derives the addresses that we give out. */
  factoryIsReady: boolean
}

export function unknownFacts(): Facts {
  return { depositoryIsOpen: false, factoryIsReady: false }
}

export function formatFacts(facts: Facts): string {
  return JSON.stringify(facts)
}

export function parseFacts(text: string): Facts {
  const { depositoryIsOpen, factoryIsReady }: Partial<Facts> = JSON.parse(text)
  return { depositoryIsOpen: depositoryIsOpen === true, factoryIsReady: factoryIsReady === true }
}
