/** The local chain's users: ordinary wallets (v4) with well-known 24 words that any wallet app imports. */
import type { TestAccount } from '@causeway/core'
import { type KeyPair, mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { canonical } from '../../src/address.ts'

export interface LocalAccount extends TestAccount {
  keys: KeyPair
  wallet: WalletContractV4
}

export function localAccounts(): Promise<LocalAccount[]> {
  return Promise.all(PHRASES.map(accountFrom))
}

export async function accountFrom(secret: string): Promise<LocalAccount> {
  const keys = await mnemonicToPrivateKey(secret.split(' '))
  const wallet = WalletContractV4.create({ workchain: 0, publicKey: keys.publicKey })
  return { address: canonical(wallet.address), secret, keys, wallet }
}

const PHRASES = [
  'sing deposit convince buyer collect planet uncle retire summer fog answer noise' +
    ' total sense quote tongue fury cinnamon drip purpose express hungry guitar gun',
  'energy beyond tissue bomb brother dream humble wrist live either globe easily' +
    ' black multiply reform eight hidden green engage open provide clinic behave latin',
  'equip stadium runway rigid west cycle gravity follow enable year enact keen' +
    ' danger kind hazard announce road smoke toddler tornado clever impose nation head',
  'foil asset prize entire embrace pledge amateur tube pause donor market canyon' +
    ' soup jungle crouch badge lunch glass hawk alpha salon trouble balance peasant',
  'lyrics web public sadness bring review capital author army flag divorce parent' +
    ' garage gather fringe clip badge like brown harbor blouse finger remove topic',
  'setup surface napkin neutral parade tank grant turkey impulse arena neither canoe' +
    ' awake second trigger chief impose guilt miss apart stable shy lava virtual',
  'bubble film breeze any salmon tool minor mountain monkey idle nice hollow' +
    ' absorb beach enjoy urge fox caught device mercy obtain drift brief post',
  'round sure among join myself laugh imitate liquid once punch embody neck' +
    ' clown stumble present mountain use fence pony dumb embrace speed embody give',
  'sunset clip harbor man ridge extend saddle infant rubber occur oxygen fantasy' +
    ' patch lyrics elephant episode popular angle clean furnace brain load fruit library',
  'cook device alert cabin earn daughter cloud region arrest private bargain ahead' +
    ' marble hurry boss picnic select benefit harbor flock tool promote giraffe deposit',
]
