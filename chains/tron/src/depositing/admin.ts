/** Operator actions on our contracts: their state, and the calls that create, pause or redirect them. */
import { type Address, type ContractChange, type DepositoryChange, RetryLater } from '@causeway/core'
import { callTo, dataOf, wordOf } from '../abi.ts'
import { addressInWord, NATIVE_ADDRESS } from '../address.ts'
import type { TronChain } from '../chain.ts'
import { creationOf, formatCall } from '../paying/calls.ts'
import { answerOf, survey } from './survey.ts'

export async function report(chain: TronChain): Promise<Record<string, unknown>> {
  const { facts, settings, treasury } = chain
  await survey(chain)
  const { depository, factory } = settings
  const rest = { depository, open: facts.depositoryIsOpen, factory, factory_ready: facts.factoryIsReady }
  if (depository === null) return rest
  const isReceiver = await told(chain, depository, callTo('isWhitelisted(address)', wordOf(treasury)))
  const owner = await ownerOf(chain, depository)
  const paused = (await told(chain, depository, callTo('paused()'))) === 1n
  return { ...rest, depository_deployed: owner !== null, owner, paused, treasury_is_receiver: isReceiver === 1n }
}

export async function change(chain: TronChain, wanted: DepositoryChange): Promise<ContractChange[]> {
  const { depository, factory } = chain.settings
  if (wanted.action === 'factory') return making(chain, 'factory', factory, 'forwarder_factory')
  if (wanted.action === 'deploy') return making(chain, 'depository', depository, 'depository')
  const owner = depository === null ? null : await ownerOf(chain, depository)
  if (depository === null || owner === null) throw new RetryLater('there is no Depository yet')
  const call =
    wanted.action === 'rotate'
      ? callTo('updateWhitelistedAddress(address,address)', wordOf(wanted.from), wordOf(wanted.to))
      : callTo(`${wanted.action}()`)
  const title = `${wanted.action} the Depository at ${depository}`
  return [
    { title, by: owner, to: depository, data: `0x${dataOf(call)}`, call: formatCall({ to: depository, ...call }) },
  ]
}

/** A contract's address depends on the creating transaction, so it is known only when that is signed. */
async function making(
  chain: TronChain,
  make: 'factory' | 'depository',
  standing: Address | null,
  setting: string,
): Promise<ContractChange[]> {
  if (standing !== null) {
    await survey(chain)
    const isThere = make === 'factory' ? chain.facts.factoryIsReady : (await ownerOf(chain, standing)) !== null
    if (isThere) return []
    throw new RetryLater(`no contract of ours is at ${standing}: take ${setting} out of the network's file first`)
  }
  const title = `make the ${make}: its address is told when it is signed, and belongs into ${setting} of the network's file`
  const data = `0x${creationOf(chain, make).bytecode}`
  return [{ title, by: null, to: NATIVE_ADDRESS, data, call: formatCall({ make }) }]
}

async function ownerOf(chain: TronChain, depository: Address): Promise<Address | null> {
  const word = await told(chain, depository, callTo('owner()'))
  return word === null || word === 0n ? null : addressInWord(word.toString(16))
}

function told(chain: TronChain, contract: Address, call: ReturnType<typeof callTo>): Promise<bigint | null> {
  return chain.rpc.use((node) => answerOf(chain, node, contract, call))
}
