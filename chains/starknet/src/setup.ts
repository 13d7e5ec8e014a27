/**
 * Deploys the treasury's account, once per network. An account of the operator pays and asks the universal deployer for
 * it. The address follows from class and key alone, so it does not depend on the deployer, and the treasury's key is
 * not used.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sign } from '@scure/starknet'
import { parseAddress } from './address.ts'
import { bytes32, felt, hex, padded } from './felt.ts'
import { contractAddress } from './hashing.ts'
import { CODES, chainId, classAt, header, nonceAt, receipt, send, unless } from './node/calls.ts'
import { type Node, openNode, Refusal } from './node/node.ts'
import { starknet } from './starknet.ts'
import { type ContractCall, encodeCalls, feeCeiling, invokeHash, invokeJson } from './transaction.ts'

const HELP = `Deploys the treasury's account of a Starknet network.

  node chains/starknet/src/setup.ts --node URL --key KEY [--class CLASS] [--account ADDRESS --secret FILE]

--key      the treasury's public key, as the service names it while its account is not there
--class    "account_class" of the network's file, where it says one
--account  an account of the operator with one key and some STRK: it pays, about 0.05 STRK
--secret   a file with its private key in hex, and nothing else

Without an account it only looks whether the treasury's is there.`

const DEPLOYER = 0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125n
const OWN_CLASS = starknet.profileOf({ name: 'setup', settings: {} } as never).settings.accountClass
/** A deployment takes about two million L2 gas and 400 data gas. */
const [L2_GAS, DATA_GAS] = [6_000_000n, 2_000n]
const [TIMEOUT_MS, POLL_MS, PATIENCE_MS] = [10_000, 1_000, 120_000]

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { node: text, key: text, class: text, account: text, secret: text, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help || !values.node || !values.key) return console.log(HELP)
  const node = openNode(values.node, { timeoutMs: TIMEOUT_MS, batchSize: 10 })
  const key = felt(values.key)
  const classHash = values.class === undefined ? OWN_CLASS : felt(values.class)
  const treasury = padded(contractAddress({ classHash, salt: key, constructorCalldata: [key] }))
  const [standing] = await node.settle([classAt(treasury, 'latest')])
  if (unless(standing, CODES.contractNotFound) !== null) return console.log(`${treasury}  is there`)
  const payer = parseAddress(values.account ?? '')
  if (payer === null || values.secret === undefined) return console.log(`${treasury}  is not there yet`)
  const call = { to: DEPLOYER, entrypoint: 'deploy_contract', calldata: [classHash, key, 0n, 1n, key] }
  await sendAs(node, payer, readSecret(values.secret), call)
  console.log(`${treasury}  made`)
}

async function sendAs(node: Node, payer: string, secret: string, call: ContractCall): Promise<void> {
  const [chain, { prices }, nonce] = await node.ask([chainId(), header('latest'), nonceAt(payer, 'latest')])
  const invoke = {
    ...{ sender: BigInt(payer), calldata: encodeCalls([call]), nonce, tip: 0n },
    bounds: {
      l1Gas: { amount: 0n, price: prices.l1Gas },
      l1DataGas: { amount: DATA_GAS, price: prices.l1DataGas * 2n },
      l2Gas: { amount: L2_GAS, price: prices.l2Gas * 2n },
    },
  }
  const hash = invokeHash(chain, invoke)
  const { r, s } = sign(bytes32(hash), secret)
  console.log(`sends ${padded(hash)}, which costs at most ${feeCeiling(invoke)} fri`)
  await node.ask([send(invokeJson(invoke, [r, s]))])
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await wait(POLL_MS)) {
    const [found] = await node.settle([receipt(padded(hash))])
    if (found instanceof Refusal || !found.block) continue
    if (!found.succeeded) throw new Error(`${hex(hash)} failed: is the class declared on this network?`)
    return
  }
  throw new Error(`${hex(hash)} is not in a block yet: look again later`)
}

/** Reads the secret; no message repeats it. */
function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(secret)) throw new Error(`${file} is no private key in hex`)
  return secret
}
