/**
 * Attacks A3 and A6 on ZKsync Lite: whatever the draft says, at most the order and a bounded fee leave, on one network
 * only.
 */
import type { Network, Order, SignedTransfer } from '@causeway/core'
import { family } from '@causeway/zksynclite'
import { describe, expect, it } from 'vitest'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused, PHRASE, quiet } from './signer.ts'

const networkOf = (name: string, chainId: number): Network =>
  sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], {
    ...{ name, type: 'zksynclite', settings: { ethereum_chain_id: chainId } },
  })
const sepolia = networkOf('ZKSYNC_SEPOLIA', 11_155_111)
const mainnet = networkOf('ZKSYNC_MAINNET', 1)

const ETH = 10n ** 18n
const ALICE = '0x00000000000000000000000000000000000A11cE'
const BOB = '0x0000000000000000000000000000000000000B0b'
const paying = (account: string, to: string, units: bigint, network = sepolia): Order => ({
  ...{ kind: 'transfers', account },
  transfers: [{ to, amount: { token: network.nativeToken, units } }],
})
const alice = family.parseAddress(ALICE.toLowerCase()) ?? ''
const bob = family.parseAddress(BOB.toLowerCase()) ?? ''
const requests = (signed: SignedTransfer | null) => (signed?.bytes ?? '').split('\n').map((line) => JSON.parse(line).tx)

describe('the signer of a ZKsync Lite network', () => {
  it('signs what the order says, with the key of the account set first where the draft says so', async () => {
    const { attacker, treasury } = await openSigner(family, sepolia)
    const signed = await orRefused(await attacker(), paying(treasury, alice, ETH), ['7'], '3 6 1000 6 2000')
    const [unlock, transfer] = requests(signed)
    expect(unlock).toMatchObject({ type: 'ChangePubKey', account: treasury, nonce: 6, fee: '2000' })
    expect(transfer).toMatchObject({ type: 'Transfer', to: alice, amount: `${ETH}`, nonce: 7, fee: '1000' })
  })

  it('pays no fee beyond its own file, whatever the service’s file allows', async () => {
    const { attacker, treasury } = await openSigner(family, sepolia)
    const thief = await attacker({ max_fee: '1000' })
    const order = paying(treasury, alice, ETH)
    expect(await orRefused(thief, order, ['7'], `3 6 ${2n * ETH}`)).toBeNull()
    expect(await orRefused(thief, order, ['7'], `3 6 1000 6 ${2n * ETH}`)).toBeNull()
    expect(await orRefused(thief, order, ['7'], '3 6 1000')).not.toBeNull()
  })

  it('signs no other order in a slot, under whatever spelling', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, sepolia)
    const adapter = await attacker()
    expect(await orRefused(adapter, paying(treasury, alice, ETH), ['7'], '3 6 1000')).not.toBeNull()
    const rival = paying(treasury, bob, ETH)
    await expect(adapter.sign(rival, ['7'], '3 6 1000')).rejects.toThrow('was signed for another order')
    for (const slot of [['07'], ['7 '], ['7', '8'], ['4294967296']]) {
      const intent = { network: sepolia.name, order: rival, slot, draft: '3 6 1000' }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
  })

  it('signs no digest of the service’s own making', async () => {
    const { signer, treasury } = await openSigner(family, sepolia)
    const key = { curve: 'secp256k1', path: "m/44'/60'/1'/0/0" } as const
    const intent = { network: sepolia.name, order: paying(treasury, alice, ETH), slot: ['7'], draft: '3 6 1000' }
    await expect(signer.sign(key, new Uint8Array(32).fill(9), intent)).rejects.toThrow('no bare digest')
  })
})

describe('what is signed on a test network', () => {
  it('is signed by another zk key than on the main network', async () => {
    const keys = mnemonicSigner(PHRASE)
    const signatures = []
    for (const network of [mainnet, sepolia]) {
      const adapter = await family.open({ network, signer: keys, log: quiet })
      const signed = await adapter.sign(paying(adapter.treasury, alice, ETH, network), ['7'], '3 6 1000')
      signatures.push(requests(signed).at(-1).signature.pubKey)
    }
    expect(signatures[0]).not.toBe(signatures[1])
  })

  it('could be used on both where two files name one Ethereum, and then no signer serves both', async () => {
    const families = async () => family
    await refuseSharedDomains({ networks: [mainnet, sepolia] } as never, families)
    const twin = networkOf('ZKSYNC_TWIN', 1)
    await expect(refuseSharedDomains({ networks: [mainnet, twin] } as never, families)).rejects.toThrow()
    expect(family.holdsRealMoney?.(mainnet)).toBe(true)
    expect(family.holdsRealMoney?.(sepolia)).toBe(false)
  })
})
