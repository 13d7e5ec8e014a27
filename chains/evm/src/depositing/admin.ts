/** Operator actions on our contracts: their state, and the calls that deploy, pause or redirect them. */
import { Depository } from '@causeway/contracts'
import { type ContractChange, type DepositoryChange, RetryLater } from '@causeway/core'
import { decodeFunctionResult, encodeFunctionData, getAddress, type Hex } from 'viem'
import { fromTopic } from '../address.ts'
import type { EvmChain } from '../chain.ts'
import { code, contractCall } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { word } from '../paying/balance.ts'
import { formatCall } from '../paying/order.ts'
import { depositoryAddress, depositoryDeployment, paymasterDeployment } from './depository.ts'
import { factoryAddress, factoryDeployment } from './forwarder.ts'

export async function report(chain: EvmChain): Promise<Record<string, unknown>> {
  const { contracts, treasury } = chain
  const { depository, paymaster } = contracts
  return chain.rpc.use(async (node) => {
    const [deposits, relays] = await node.ask([code(depository), code(paymaster)])
    const rest = { depository, paymaster, paymaster_deployed: relays.length > 2 }
    if (deposits.length <= 2) return { ...rest, depository_deployed: false }
    const receivers = await receiversOf(node, depository)
    return {
      ...rest,
      depository_deployed: true,
      owner: fromTopic(await read(node, depository, 'owner')),
      pending_owner: fromTopic(await read(node, depository, 'pendingOwner')),
      paused: word(await read(node, depository, 'paused')) === 1n,
      receivers,
      // Money sent to a receiver that is not the treasury is not seen by this service.
      strange_receivers: receivers.filter((receiver) => receiver !== treasury),
      treasury_is_receiver: receivers.some((receiver) => receiver === treasury),
      still_watched: [...contracts.depositories].filter((address) => address !== depository.toLowerCase()),
    }
  })
}

export async function change(chain: EvmChain, wanted: DepositoryChange): Promise<ContractChange[]> {
  if (wanted.action === 'factory') return factoryChange(chain)
  return wanted.action === 'deploy'
    ? deployment(chain, wanted.relaysForOwner ?? false)
    : [await ownerCall(chain, wanted)]
}

/** The call that deploys the factory. Anyone may deploy it, and it sends only to the treasury. */
async function factoryChange({ rpc, treasury }: EvmChain): Promise<ContractChange[]> {
  const factory = factoryAddress(treasury)
  const [standing] = await rpc.use((node) => node.ask([code(factory)]))
  if (standing.length > 2) return []
  return [changeOf(`deploy the factory of deposit addresses at ${factory}`, null, factoryDeployment(treasury))]
}

/**
 * Deploys the missing contracts. If one key both owns the Depository and relays, it could add a receiver and take what
 * is left of a user's permit. So the Paymaster is then deployed only on explicit request.
 */
async function deployment(chain: EvmChain, relaysForOwner: boolean): Promise<ContractChange[]> {
  const { contracts, treasury, rpc } = chain
  const { depository, paymaster, owner } = contracts
  const [deposits, relays] = await rpc.use((node) => node.ask([code(depository), code(paymaster)]))
  const changes: ContractChange[] = []
  // A Depository named in the settings was deployed by another party, with unknown arguments.
  if (deposits.length <= 2 && depository === depositoryAddress(owner, treasury)) {
    changes.push(changeOf(`deploy the Depository at ${depository}`, null, depositoryDeployment(owner, treasury)))
  }
  if (relays.length <= 2 && (owner !== treasury || relaysForOwner)) {
    changes.push(changeOf(`deploy the Paymaster at ${paymaster}`, null, paymasterDeployment(treasury, depository)))
  }
  return changes
}

async function ownerCall(
  chain: EvmChain,
  wanted: Exclude<DepositoryChange, { action: 'deploy' | 'factory' }>,
): Promise<ContractChange> {
  const { depository } = chain.contracts
  const answer = await chain.rpc.use((node) => read(node, depository, 'owner'))
  if (word(answer) === 0n) throw new RetryLater(`there is no Depository at ${depository} yet`)
  const owner = fromTopic(answer)
  if (wanted.action === 'rotate') {
    const args = [getAddress(wanted.from), getAddress(wanted.to)] as const
    const data = encodeFunctionData({ abi: Depository.abi, functionName: 'updateWhitelistedAddress', args })
    return changeOf(`replace the receiver ${wanted.from} by ${wanted.to}`, owner, { to: depository, data })
  }
  const data = encodeFunctionData({ abi: Depository.abi, functionName: wanted.action })
  return changeOf(`${wanted.action} the Depository at ${depository}`, owner, { to: depository, data })
}

function changeOf(title: string, by: string | null, { to, data }: { to: string; data: Hex }): ContractChange {
  return { title, by, to, data, call: formatCall({ to, data, needs: null }) }
}

type Readable = 'owner' | 'pendingOwner' | 'paused' | 'getWhitelistedAddresses'

async function read(node: Node, to: string, functionName: Readable): Promise<Hex> {
  const [answer] = await node.ask([
    contractCall({ to, data: encodeFunctionData({ abi: Depository.abi, functionName }) }),
  ])
  return answer as Hex
}

async function receiversOf(node: Node, to: string): Promise<readonly string[]> {
  const data = await read(node, to, 'getWhitelistedAddresses')
  return decodeFunctionResult({ abi: Depository.abi, functionName: 'getWhitelistedAddresses', data })
}
