/**
 * Attacks A3 and A6 on StarkEx: whatever the draft says, money goes only to the recipient's key, and nothing is valid
 * on another ledger.
 */
import type { Network, Order, SignedTransfer } from '@causeway/core'
import { family } from '@causeway/starkex'
import { describe, expect, it } from 'vitest'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused, PHRASE, quiet } from './signer.ts'

const ALICE = '0x1111111111111111111111111111111111111111'
const BOB = '0x2222222222222222222222222222222222222222'
/** Any field elements will do. */
const ALICE_KEY = '0xa11ce'
const THIEF_KEY = '0xbad'
const ETH_ASSET = '0x2705737cd248ac819034b5de474c8f0368224f72a0fda9e031499d519992d9e'
const ETH = 10n ** 18n

const networkOf = (
  name: string,
  instance: string,
  receivers: Record<string, string> = { [ALICE]: ALICE_KEY },
): Network =>
  sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], {
    ...{ name, type: 'starkex', settings: { instance, quanta: { ETH: '100000000' }, receivers } },
  })
const sandbox = networkOf('IMMUTABLEX_SANDBOX', 'immutablex-sandbox')
const mainnet = networkOf('IMMUTABLEX_MAINNET', 'immutablex')

const paying = (account: string, to: string, units: bigint, network = sandbox): Order => ({
  ...{ kind: 'transfers', account },
  transfers: [{ to, amount: { token: network.nativeToken, units } }],
})
const draftOf = (key: string, vault = 1000, hour = 500_000) => `${hour} 1790000000 ${vault} 1001 ${key} ${ETH_ASSET}`
const SLOT = ['7', '7@500000@1000']
const requestIn = (signed: SignedTransfer | null) => JSON.parse(signed?.bytes ?? '').body.requests[0]

describe('the signer of a StarkEx ledger', () => {
  it('pays the key that its own file names, and no other that the draft does', async () => {
    const { attacker, treasury } = await openSigner(family, sandbox)
    const thief = await attacker({ receivers: {} })
    const order = paying(treasury, ALICE, ETH)
    expect(await orRefused(thief, order, SLOT, draftOf(THIEF_KEY))).toBeNull()
    const honest = await orRefused(thief, order, SLOT, draftOf(ALICE_KEY))
    expect(requestIn(honest)).toMatchObject({ receiver_stark_key: ALICE_KEY, amount: '10000000000', nonce: '7' })
  })

  it('pays no recipient whose key its file does not name: only the operator could name it', async () => {
    const { attacker, treasury } = await openSigner(family, sandbox)
    const adapter = await attacker({ receivers: {} })
    await expect(adapter.sign(paying(treasury, BOB, ETH), SLOT, draftOf(THIEF_KEY))).rejects.toThrow('is not pinned')
  })

  it('cancels to its own key alone', async () => {
    const { attacker, treasury } = await openSigner(family, sandbox)
    const adapter = await attacker()
    const order: Order = { kind: 'cancel', account: treasury }
    await expect(adapter.sign(order, SLOT, draftOf(THIEF_KEY))).rejects.toThrow('is another one')
  })

  it('signs no other order in a slot, in no other vault of it, and under no other spelling', async () => {
    const both = networkOf('IMMUTABLEX_SANDBOX', 'immutablex-sandbox', { [ALICE]: ALICE_KEY, [BOB]: '0xb0b' })
    const { askFor, attacker, treasury } = await openSigner(family, both)
    const adapter = await attacker()
    expect(await orRefused(adapter, paying(treasury, ALICE, ETH), SLOT, draftOf(ALICE_KEY))).not.toBeNull()
    const rival = paying(treasury, BOB, ETH)
    await expect(adapter.sign(rival, SLOT, draftOf('0xb0b'))).rejects.toThrow('was signed for another order')
    const elsewhere = ['7', '7@500000@1002']
    await expect(adapter.sign(rival, elsewhere, draftOf('0xb0b', 1002))).rejects.toThrow('was signed for another order')
    for (const slot of [['07', '07@500000@1000'], ['7', '7@500000@01000'], ['7'], ['7', '8@500000@1000']]) {
      const intent = { network: both.name, order: rival, slot, draft: draftOf('0xb0b') }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
  })

  it('links its own key to its own address, and nothing else by that name', async () => {
    const { attacker, treasury } = await openSigner(family, sandbox)
    const adapter = await attacker()
    const linked = await orRefused(adapter, { kind: 'cancel', account: treasury }, ['link'], 'link')
    expect(JSON.parse(linked?.bytes ?? '')).toMatchObject({ ether_key: treasury })
    await expect(adapter.sign(paying(treasury, ALICE, ETH), ['link'], 'link')).rejects.toThrow('not a slot')
  })
})

describe('what is signed for one ledger', () => {
  it('is signed by another key than for another', async () => {
    const keys = mnemonicSigner(PHRASE)
    const senders = []
    for (const network of [mainnet, sandbox]) {
      const adapter = await family.open({ network, signer: keys, log: quiet })
      const signed = await adapter.sign(paying(adapter.treasury, ALICE, ETH, network), SLOT, draftOf(ALICE_KEY))
      senders.push(JSON.parse(signed.bytes).body.sender_stark_key)
    }
    expect(senders[0]).not.toBe(senders[1])
  })

  it('could be used on both where two files name one ledger, and then no signer serves both', async () => {
    const families = async () => family
    await refuseSharedDomains({ networks: [mainnet, sandbox] } as never, families)
    const twin = networkOf('TWIN', 'immutablex')
    await expect(refuseSharedDomains({ networks: [mainnet, twin] } as never, families)).rejects.toThrow()
    expect(family.holdsRealMoney?.(mainnet)).toBe(true)
    expect(family.holdsRealMoney?.(sandbox)).toBe(false)
  })
})
