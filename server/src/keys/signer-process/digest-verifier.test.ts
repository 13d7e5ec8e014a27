import { catalogueOf, type KeyRef, type Order, type Signer } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { devnet } from '../../../../chains/simulated/local/src/devnet.ts'
import { family, findChain, simulatedNetwork } from '../../../../chains/simulated/local/src/index.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { PHRASE, quiet } from '../testing.ts'
import { createDigestVerifier } from './digest-verifier.ts'

const network = simulatedNetwork('SIMULATED_PROOF')
const keys = mnemonicSigner(PHRASE)
let stop = async () => {}
beforeAll(async () => {
  const treasury = await family.treasury(network, keys)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  stop = () => local.stop()
})
afterAll(() => stop())

/** Signs on the service's side and keeps what it asked for. */
async function signing(order: (account: string) => Promise<Order>) {
  const asked: { key: KeyRef; digest: Uint8Array }[] = []
  const signer: Signer = {
    ...keys,
    sign: (key, digest, intent) => {
      asked.push({ key, digest })
      return keys.sign(key, digest, intent)
    },
  }
  const adapter = await family.open({ network, signer, log: quiet })
  const wanted = await order(adapter.treasury)
  const draft = await adapter.prepare(wanted, null)
  const slot = await adapter.nextSlot(wanted, draft, [])
  await adapter.sign(wanted, slot, draft)
  return { asked, intent: { network: network.name, order: wanted, slot, draft } }
}

const { prove } = createDigestVerifier(catalogueOf([network]), async () => family, keys, quiet)

it('every signature of a transaction that needs several is proven, each with its own key only', async () => {
  const { chain } = findChain(network.name)
  const depositor = await family.open({ network, signer: keys, log: quiet })
  const { asked, intent } = await signing(async (account) => {
    const addresses = await Promise.all([1, 2].map((index) => depositor.depositAddresses?.derive(index) ?? ''))
    for (const address of [...addresses, account]) chain.mint(address, null, 10n ** 18n)
    chain.mine(1)
    const sources = addresses.map((address, position) => ({ address, index: position + 1 }))
    return { kind: 'sweep', account, token: network.nativeToken, sources }
  })
  expect(asked).toHaveLength(3)
  for (const { key, digest } of asked) expect(await prove(key, digest, intent)).toEqual({ feeUnits: 2_000n })
  const [first] = asked
  const stranger: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }
  expect(await prove(stranger, first?.digest ?? new Uint8Array(), intent)).toBe('the digest is not that of the order')
})

it('a fee beyond the bound, another spelling of the slot and another name of the wallet are no proof', async () => {
  const { chain } = findChain(network.name)
  const { asked, intent } = await signing(async (account) => {
    chain.mint(account, null, 10n ** 18n)
    chain.mine(1)
    return {
      kind: 'transfers',
      account,
      transfers: [{ to: account, amount: { token: network.nativeToken, units: 5n } }],
    }
  })
  const [{ key, digest } = { key: { curve: 'secp256k1', path: 'm/0' } as const, digest: new Uint8Array() }] = asked
  expect(await prove(key, digest, intent)).toEqual({ feeUnits: 1_000n })
  expect(await prove(key, digest, { ...intent, draft: `${10n ** 18n}` })).toContain('and may offer 1000000000')
  expect(await prove(key, digest, { ...intent, draft: '-1' })).toContain('and may offer')
  expect(await prove(key, digest, { ...intent, slot: [`0${intent.slot[0]}`] })).toContain('not a slot')
  const order = { ...intent.order, account: intent.order.account.toUpperCase() }
  expect(await prove(key, digest, { ...intent, order })).toBe('the account is not the wallet of this network')
})
