/**
 * Local Paradex chains for the sandbox, the demo and the tests: Starknet's double with Paraclear and a node that masks
 * answers.
 */
import type { DevnetFamily, Network } from '@causeway/core'
import { hex, named, startLocal } from '@causeway/starknet-local'
import { paradex } from '../../src/paradex.ts'
import { HAND } from './masked-reads.ts'

/** The gas price there is unknown: a value that makes a payout cost a cent or two. */
const PRICES = { l1Gas: '1', l1DataGas: '1', l2Gas: '1' }
const GAS = { validate: 3_000, call: 5_000 }
/** Whole USDC: in the trading balance, and in the wallet for fees. */
const TRADING = 100_000n
const WALLET = 100n
const USDC_UNITS = 10n ** 6n
/** Paraclear has two decimals more than the token. */
const SCALE = 100n
const WATCHDOG = '0x0567890abcdef0123456789abcdef0123456789abcdef0123456789abcdef012'

export const devnet: DevnetFamily = {
  type: 'paradex',
  // The file's gas values do not apply here, because gas has another price.
  standIn: (settings) => ({ ...settings, watchdog: settings.watchdog ?? WATCHDOG, ...LOCAL_GAS }),
  async start({ networks, treasuries }) {
    const local = await startLocal({
      kind: paradex,
      engine: 'a double of a Paradex node (Starknet’s, with Paraclear played and masked reads)',
      file: new URL('./process.ts', import.meta.url),
      networks,
      treasuries,
      prices: PRICES,
      gas: GAS,
      riches: WALLET,
      more: (network) => ({ paraclear: paraclearOf(network), riches: `${TRADING * USDC_UNITS}` }),
      before: (name, units) =>
        withdrawal(
          networks.find((network) => network.name === name),
          units,
        ),
      handHeaders: { [HAND]: '1' },
    })
    return {
      ...local,
      // The whole balance of an account, in the wallet and in the trading balance: payouts go into trading balances.
      async balance(token, address) {
        const network = networks.find(({ name }) => name === token.network)
        const url = local.nodes[token.network]
        if (!network || url === undefined) throw new Error(`no local chain for ${token.network}`)
        return (await local.balance(token, address)) + (await tradingBalance(url, network, address)) / SCALE
      },
    }
  },
}

export const LOCAL_GAS = { base_l2_gas: 10_000, transfer_l2_gas: 15_000 }

function paraclearOf({ settings }: Network): string {
  return typeof settings.paraclear === 'string' ? settings.paraclear : NO_PARACLEAR
}

/** Even if a test network pays by plain transfers, users' money is in trading balances. */
const NO_PARACLEAR = '0x03ca9388f8d4e04adecbd7b06b9b24a33030a593522248a7bddd87afc0b61a0c'

/** The withdrawal that a wallet makes first, in the same transaction, because its money is in the trading balance. */
function withdrawal(network: Network | undefined, units: bigint) {
  if (!network) return []
  const { feeToken } = paradex.profileOf(network).settings
  const calldata = [BigInt(feeToken), units * SCALE]
  return [{ to: BigInt(paraclearOf(network)), entrypoint: 'withdraw', calldata }]
}

/** The trading balance in Paraclear's own decimals. */
async function tradingBalance(url: string, network: Network, address: string): Promise<bigint> {
  const { feeToken } = paradex.profileOf(network).settings
  const request = {
    contract_address: paraclearOf(network),
    entry_point_selector: hex(named('getTokenAssetBalance')),
    calldata: [address, feeToken],
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'starknet_call', params: { request, block_id: 'latest' } }
  const response = await fetch(url, { method: 'POST', headers: { [HAND]: '1' }, body: JSON.stringify(body) })
  const { result }: { result: string[] } = JSON.parse(await response.text())
  return BigInt(result[0] ?? 0)
}
