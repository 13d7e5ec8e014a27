/** Test controls of a local chain: minting, blocks, reorgs, and faults of the real network. */
import { RpcError } from '@causeway/devnet/kit'
import type { LocalChain } from './chain.ts'
import { named } from './contracts.ts'
import type { Layout } from './plan.ts'
import type { Methods } from './rpc-methods.ts'

export function controlsOf(chain: LocalChain, pause: (isHeld: boolean) => void): Methods {
  return {
    devnet_fund: ({ token, address, units }) => {
      const minted = { token: BigInt(String(token)), to: BigInt(String(address)), units: BigInt(String(units)) }
      const wire = {
        version: '0x0',
        nonce: '0x0',
        contract_address: String(token),
        entry_point_selector: '0x1',
        calldata: [],
      }
      return chain.place('L1_HANDLER', wire, [], minted).hash
    },
    devnet_mine: ({ blocks }) => {
      for (let count = 0; count < Number(blocks); count++) chain.mine()
      return chain.head.number
    },
    devnet_reorg: ({ depth, keeps }) => {
      chain.reorg(Number(depth), keeps === true)
      return chain.head.number
    },
    /** Stops automatic blocks. */
    devnet_hold: ({ held }) => pause(held === true),
    /** The mempool drops its pending transactions. */
    devnet_forget: () => chain.waiting.clear(),
    devnet_layout: ({ token, layout }) => {
      chain.layouts.set(BigInt(String(token)), layout as Layout)
    },
    devnet_block: ({ token, address }) => {
      chain.blocked.add(`${BigInt(String(token))} ${BigInt(String(address))}`)
    },
    devnet_prices: ({ l2Gas }) => {
      chain.prices = { ...chain.prices, l2Gas: BigInt(String(l2Gas)) }
    },
    /** Calls of several accounts in one transaction that another account sends. */
    devnet_bundle: ({ sender, parts }) => {
      const wire = {
        ...{ version: '0x3', sender_address: sender, nonce: '0x0', calldata: [], signature: [], tip: '0x0' },
        ...{ resource_bounds: {}, paymaster_data: [], account_deployment_data: [] },
        ...{ nonce_data_availability_mode: 'L1', fee_data_availability_mode: 'L1' },
      }
      if (!Array.isArray(parts)) throw new RpcError(-32602, 'parts are a list')
      return chain.place('INVOKE', wire, parts.map(readPart)).hash
    },
  }
}

interface PartJson {
  as: string
  calls: readonly { contractAddress: string; entrypoint: string; calldata: readonly string[] }[]
}

function readPart({ as, calls }: PartJson) {
  return {
    as: BigInt(as),
    calls: calls.map(({ contractAddress, entrypoint, calldata }) => ({
      ...{ to: BigInt(contractAddress), name: named(entrypoint), calldata: calldata.map(BigInt) },
    })),
  }
}
