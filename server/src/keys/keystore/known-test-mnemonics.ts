/** Recovery phrases that are published. Money behind one of them can be stolen by anyone. */
import type { Chains, Families } from '../../catalogue/chains.ts'
import { SANDBOX_MNEMONIC } from '../../config/sandbox.ts'
import { mnemonicSigner } from './mnemonic.ts'

const PUBLIC_PHRASES = [
  SANDBOX_MNEMONIC,
  'test test test test test test test test test test test junk',
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
]

/** The networks whose wallet is derived from a published phrase, in whichever backend the key is stored. */
export async function knownTestMnemonics(chains: Chains, families: Families): Promise<string[]> {
  const signers = PUBLIC_PHRASES.map((phrase) => mnemonicSigner(phrase))
  const judged = [...chains.values()].map(async ({ network, treasury }) => {
    const family = await families(network.type)
    const theirs = await Promise.all(signers.map((signer) => family.treasury(network, signer)))
    return theirs.includes(treasury) ? [network.name] : []
  })
  return (await Promise.all(judged)).flat()
}
