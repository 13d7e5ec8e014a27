/**
 * The steps to be taken on chain before deposits or payouts of a network work: contracts, accounts, coins for fees. The
 * command line, the console and `/ready` show it.
 */
import type { ChainAdapter, SetupStep } from '@causeway/core'
import { offersAddresses } from './chains.ts'

export interface NetworkSetup {
  network: string
  missing: SetupStep[]
  /** Why the check is incomplete, if a node did not answer; else null. */
  trouble: string | null
}

/** Asks the network's nodes. `isNew`: this process has not surveyed the contracts yet. */
export async function checkSetup(chain: ChainAdapter, { isNew }: { isNew: boolean }): Promise<NetworkSetup> {
  const network = chain.network.name
  try {
    if (isNew) await chain.contractSurvey?.surveyContracts()
    const [own, funds] = await Promise.all([chain.setup?.missing() ?? [], funding(chain)])
    return { network, missing: [...own, ...contracts(chain), ...funds], trouble: null }
  } catch (error) {
    return { network, missing: contracts(chain), trouble: error instanceof Error ? error.message : String(error) }
  }
}

function contracts(chain: ChainAdapter): SetupStep[] {
  const { name, tokens } = chain.network
  const steps: SetupStep[] = []
  if (chain.depositAddresses && !offersAddresses(chain))
    steps.push({
      what: 'the factory of deposit addresses is not deployed',
      closes: ['deposit_address'],
      command: `npm run admin -- depository factory --network ${name}`,
    })
  const { depository } = chain
  if (depository && !tokens.some((token) => depository.accepts(token)))
    steps.push({
      what: 'the Depository is not deployed, is paused, or does not pay to the treasury',
      closes: ['depository'],
      command: `npm run admin -- depository deploy --network ${name}`,
    })
  return steps
}

async function funding(chain: ChainAdapter): Promise<SetupStep[]> {
  const { nativeToken, name } = chain.network
  const { units } = await chain.balance(chain.treasury, nativeToken)
  if (units > 0n) return []
  return [
    {
      what: `the treasury has no ${nativeToken.symbol} for fees`,
      closes: ['payouts'],
      command: `send ${nativeToken.symbol} to ${chain.treasury} on ${name}`,
    },
  ]
}
