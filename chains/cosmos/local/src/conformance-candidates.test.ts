/**
 * The same conformance suite when results are read for some blocks only, on a chain with Ethereum's keys and addresses.
 */
import { family } from '@causeway/cosmos'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

const pubkey_type = '/injective.crypto.v1beta1.ethsecp256k1.PubKey'
const settings = {
  prefix: 'inj',
  denom: 'inj',
  key: 'eth_secp256k1',
  pubkey_type,
  fee_model: 'evm',
  scan: 'candidates',
}

conformanceSuite('cosmos by candidates', {
  family,
  devnet,
  network: testNetwork({ name: 'INJECTIVE_TESTNET', chainId: 'injective-888' }, settings),
  addressForms: ['bech32'],
  capabilities: ['blockTimes', 'references', 'depositAddresses', 'batch', 'ordering', 'audit', 'messages'],
  noReorgs: 'CometBFT blocks are final',
})
