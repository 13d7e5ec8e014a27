import { getBase58Decoder } from '@solana/kit'
import { expect, it } from 'vitest'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { isKeyless, naming, parseAddress, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts'
import { nonceAddresses } from './paying/nonce.ts'
import { depositKey, treasuryAddress } from './paying/treasury.ts'
import { associatedAccount } from './tokens.ts'

it('base58 of 32 bytes is an address, and nothing else is', () => {
  expect(parseAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')).toBe(
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  )
  expect(parseAddress(naming.nativeAddress)).toBe('11111111111111111111111111111111')
  const others = [
    // 31 and 33 bytes.
    getBase58Decoder().decode(new Uint8Array(31).fill(7)),
    getBase58Decoder().decode(new Uint8Array(33).fill(7)),
    '111111111111111111111111111111111',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1O',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ]
  for (const text of others) expect(parseAddress(text), text).toBeNull()
})

it('programs, sysvars and the incinerator have no owner; a wallet and a multisig vault do', () => {
  const nobody = [
    '11111111111111111111111111111111',
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    'SysvarRent111111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
  ]
  for (const address of nobody) {
    expect(parseAddress(address), address).toBe(address)
    expect(isKeyless(address), address).toBe(true)
  }
  expect(isKeyless('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')).toBe(false)
})

it('the treasury is the first account that every wallet derives from the phrase', async () => {
  const phrase = `${'abandon '.repeat(11)}about`
  expect(await treasuryAddress(mnemonicSigner(phrase))).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')
  const cookbook = 'neither lonely flavor argue grass remind eye tag avocado spot unusual intact'
  expect(await treasuryAddress(mnemonicSigner(cookbook))).toBe('5vftMkHL72JaJG6ExQfGAsT2uGVHpRR7oTNUPMs68Y2N')
})

it('deposit keys differ from what wallets derive, and end with the hardened indexes', () => {
  expect(depositKey(7).path).toBe("m/44'/501'/7'/1'")
  expect(depositKey(7, 9).path).toBe("m/44'/501'/7'/1'/9'")
  expect(() => depositKey(2 ** 31)).toThrow('no key has this number')
  expect(() => depositKey(7, 2 ** 31)).toThrow('no key has this number')
  expect(() => depositKey(-1)).toThrow('no key has this number')
})

it('token accounts and nonce accounts are at the addresses that the programs derive', async () => {
  const owner = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
  const mint = getBase58Decoder().decode(new Uint8Array(32).fill(0x44))
  expect(await associatedAccount(owner, mint, TOKEN_PROGRAM)).toBe('FF2BjgeRK2LgK8Lj4wY2CTJrmJAKV5ZPCdHqfq1tJLGi')
  expect(await associatedAccount(owner, mint, TOKEN_2022_PROGRAM)).not.toBe(
    await associatedAccount(owner, mint, TOKEN_PROGRAM),
  )
  const [first, second] = await nonceAddresses(owner, 2)
  expect(await nonceAddresses(owner, 1)).toEqual([first])
  expect(first).not.toBe(second)
})
