/** The treasury is an account contract that must be deployed; a reference in a transfer needs the watchdog. */
import type { SetupStep } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { hex } from '../felt.ts'
import { CODES, classAt, unless } from '../node/calls.ts'

export async function missingSetup({ rpc, treasury, settings, account }: StarknetChain): Promise<SetupStep[]> {
  const [standing] = await rpc.use((node) => node.settle([classAt(treasury, 'latest')]))
  const steps: SetupStep[] = []
  if (standing === undefined || unless(standing, CODES.contractNotFound) === null)
    steps.push({
      what: "the treasury's account is not deployed",
      closes: ['payouts'],
      command: `node chains/starknet/src/setup.ts --node URL --key ${hex(account.publicKey)} --account ADDRESS --secret FILE`,
    })
  if (settings.watchdog === null)
    steps.push({
      what: 'no watchdog contract is set',
      closes: ['wallet'],
      command: 'deploy the watchdog (chains/starknet/README.md) and set "watchdog" in the network file',
    })
  return steps
}
