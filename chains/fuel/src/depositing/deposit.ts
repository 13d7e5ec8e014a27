/**
 * Deposit instructions: a script that passes the swap's reference to the watchdog contract, and a coin for the
 * treasury. The wallet adds its own coins and change. Encoded like a request of the family's public library, so that
 * wallets can decode it from JSON.
 */
import { transferAction } from '@causeway/chain-kit'
import type { DepositAction, DepositRequest } from '@causeway/core'
import { hexOf } from '../bytes.ts'
import { assetOf, type FuelChain } from '../chain.ts'
import { KIND } from '../transaction.ts'
import { WATCH_SCRIPT, watchData } from './script.ts'

/** Input and output types by number. */
const [COIN, CONTRACT] = [0, 1]

export function depositAction(chain: FuelChain, request: DepositRequest): DepositAction {
  return transferAction(request, callDataOf(chain, request))
}

/** The call data of a deposit; null without a watchdog, because then a transfer cannot carry a reference. */
function callDataOf(chain: FuelChain, { token, units, receiver, reference }: DepositRequest): string | null {
  const { watchdog, baseAsset, depositFee } = chain.settings
  if (watchdog === null) return null
  const asset = assetOf(chain, token)
  const script = {
    type: KIND.script,
    // Wallets estimate gas and fees themselves.
    gasLimit: '0x0',
    maxFee: '0x0',
    script: hexOf(WATCH_SCRIPT),
    scriptData: hexOf(watchData(watchdog, reference, baseAsset)),
    inputs: [{ type: CONTRACT, contractId: watchdog, txPointer: `0x${'00'.repeat(16)}` }],
    outputs: [
      { type: CONTRACT, inputIndex: 0 },
      { type: COIN, to: receiver, amount: `0x${units.toString(16)}`, assetId: asset },
    ],
    witnesses: [],
  }
  const quantities =
    asset === baseAsset
      ? [{ amount: (units + depositFee).toString(), assetId: asset }]
      : [
          { amount: units.toString(), assetId: asset },
          { amount: depositFee.toString(), assetId: baseAsset },
        ]
  return JSON.stringify({ script, quantities })
}
