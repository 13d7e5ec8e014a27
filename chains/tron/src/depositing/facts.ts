/** What a survey has found on the chain: kept in memory, so that a request asks nobody. Until the first one, nothing is there. */
export interface Facts {
  /** Deployed, not paused, and our treasury is one of its receivers. */
  depositoryIsOpen: boolean
  /** It stands there, sends to our treasury, and makes the addresses that we give out. */
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
