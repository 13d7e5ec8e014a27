/** Starknet itself as one kind: STRK pays fees, an account has one key, and a payout is a transfer. */
import { type Network, settingsReader } from '@causeway/core'
import type { Kind, Profile } from './kind.ts'
import { contractOf, transferCall } from './paying/order.ts'
import { readSettings, SN_MAIN } from './settings.ts'

/** The contract of STRK, on every network of this kind. */
const STRK = '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'
/** OpenZeppelin's AccountUpgradeable 1.0.0, whose only argument is the key. */
const ACCOUNT_CLASS = 0x05b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564n
const GFRI = 10n ** 9n

export const starknet: Kind = {
  type: 'starknet',
  nativeAddress: STRK,
  treasuryKey: { curve: 'stark', path: "m/44'/9004'/0'/0/0" },
  mainnetId: SN_MAIN,
  profileOf,
}

function profileOf(network: Network): Profile {
  const read = settingsReader(network)
  const settings = readSettings(read, {
    accountClass: ACCOUNT_CLASS,
    feeToken: STRK,
    // The default price limit. The chain's own minimum is 8 GFRI: a payment costs 0.016 STRK then, and 1 STRK at this
    // limit.
    maxL2Price: 500n * GFRI,
    maxDataPrice: 100_000n * GFRI,
    batchSize: 100,
  })
  read.nothingElse()
  return {
    settings,
    constructorCalldata: (publicKey) => [publicKey],
    payoutCalls: (transfers) =>
      transfers.map(({ to, amount }) => transferCall(contractOf({ settings }, amount.token), to, amount.units)),
    contracts: [],
    isPassing: () => false,
  }
}
