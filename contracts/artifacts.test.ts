import { readFileSync } from 'node:fs'
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { Depository, Forwarder, ForwarderFactory, Paymaster } from './artifacts.ts'
import { artifactsFile, compile } from './build.ts'

describe('artifacts', () => {
  test('are what the sources compile to', () => {
    expect(compile() === readFileSync(artifactsFile, 'utf8'), 'run `npm run contracts`').toBe(true)
  })

  test('keep the bytecode that deposit addresses are derived from', () => {
    // Changing these moves every deposit address that was ever handed out.
    expect(keccak256(Forwarder.bytecode)).toBe('0xea8cb2648af224dc8b9dd66aedabf86ebb02bad33cec64a0298afe445dd7b18a')
    expect(keccak256(ForwarderFactory.bytecode)).toBe(
      '0xa274703b5bd95c963dcac0067c37e5b6131d745ec57263634972b4afa2abf5d8',
    )
  })

  test('keep the bytecode that the Depository’s and Paymaster’s addresses are derived from', () => {
    // If you change these, list the old Depositories as `old_depositories` in every network file: deposits sent to them
    // still belong to users.
    expect(keccak256(Depository.bytecode)).toBe('0xa707d2321f6a818f936ebf343275e8ff6669db3e2c26bc0c8cdaa8b2a5aeeecd')
    expect(keccak256(Paymaster.bytecode)).toBe('0x58ec0781f6f8558cac01b21f441b366f11fd27e39b99fdd83d8c919202045ca0')
  })
})
