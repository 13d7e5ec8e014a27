/**
 * Conformance: addresses are parsed strictly, tokens have one name each, and addresses that lose money are not paid.
 */
import { findToken } from '@causeway/core'
import { expect, it } from 'vitest'
import { SAMPLE_ADDRESSES, type Subject, type World } from './world.ts'

export function addressCases(subject: Subject, world: () => World): void {
  const { family, network } = subject

  it('an address reads back as itself, by the family and by the adapter', async () => {
    const { adapter, devnet, treasury, stranger } = world()
    for (const address of [treasury, await stranger(), ...devnet.accounts.map((account) => account.address)]) {
      expect(family.parseAddress(address)).toBe(address)
      expect(adapter.parseAddress(address)).toBe(address)
    }
  })

  it('a text that is no address is refused', () => {
    const { treasury } = world()
    const half = Math.floor(treasury.length / 2)
    const broken = [
      '',
      ' ',
      'hello',
      '0x',
      '0',
      // Without a checksum or a fixed length, removing one letter may give another valid address: remove three.
      treasury.slice(0, -3),
      `${treasury}0`,
      treasury + treasury,
      `${treasury.slice(0, half)} ${treasury.slice(half)}`,
      `${treasury.slice(0, half)}!${treasury.slice(half + 1)}`,
    ]
    for (const text of broken) expect(family.parseAddress(text), JSON.stringify(text)).toBeNull()
  })

  it('an address of another form is refused', () => {
    for (const [form, sample] of Object.entries(SAMPLE_ADDRESSES)) {
      if (subject.addressForms.some((own) => own === form)) continue
      expect(family.parseAddress(sample), form).toBeNull()
    }
  })

  it('the treasury is known without asking a node, and is the same on every opening', async () => {
    const { adapter, signer } = world()
    expect(adapter.treasury).toBe(await family.treasury(network, signer))
    expect(adapter.network.name).toBe(network.name)
  })

  it('every token is found by its own name', () => {
    const { adapter } = world()
    expect(adapter.nativeAddress).toBe(family.nativeAddress)
    expect(findToken(network, family.nativeAddress, family)).toEqual(network.nativeToken)
    for (const token of network.tokens) {
      if (token.contract === null) continue
      expect(family.parseAddress(token.contract)).toBe(token.contract)
      expect(findToken(network, token.contract, family)).toEqual(token)
    }
  })

  it('an address that would lose the money is flagged, a user’s is not', async () => {
    const { adapter, sender, stranger } = world()
    const contracts = network.tokens.map(({ contract }) => contract).filter((contract) => contract !== null)
    for (const contract of contracts) expect(adapter.isUnpayable(contract), contract).toBe(true)
    const native = family.parseAddress(family.nativeAddress)
    if (native !== null) expect(adapter.isUnpayable(native)).toBe(true)
    expect(adapter.isUnpayable(sender.address)).toBe(false)
    expect(adapter.isUnpayable(await stranger())).toBe(false)
  })

  it('a balance equals the chain’s', async () => {
    const { adapter, devnet, treasury, sender, stranger } = world()
    for (const token of adapter.network.tokens) {
      expect((await adapter.balance(treasury, token)).units).toBe(await devnet.balance(token, treasury))
      if (subject.hidesOthers !== undefined) continue
      expect((await adapter.balance(sender.address, token)).units).toBe(await devnet.balance(token, sender.address))
      expect(await adapter.balance(await stranger(), token)).toEqual({ token, units: 0n })
    }
  })
}
