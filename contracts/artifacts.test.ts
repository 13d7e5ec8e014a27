import { readFileSync } from 'node:fs'
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { Depository, Forwarder, ForwarderFactory, Paymaster } from './artifacts.ts'
import { artifactsFile, compile } from './build.ts'

describe('artifacts', () => {
  test('are what the sources compile to', () => {
    expect(compile() === readFileSync(artifactsFile, 'utf8'), 'run `npm run contracts`').toBe(true)
  })

  test('keep the bytes that deposit addresses follow from', () => {
    // Whoever changes these moves every deposit address that was ever given out.
    expect(keccak256(Forwarder.bytecode)).toBe('0x8fc04f069ee4101d7af07021c79b3a0c2d478b69b6208a61d37480c7bd54f89e')
    expect(keccak256(ForwarderFactory.bytecode)).toBe(
      '0x6838116480b4e202164f079c9ce0fdde1d593a37ae885098b88c62068eb1a9cd',
    )
  })

  test('keep the bytes that the addresses of Depository and Paymaster follow from', () => {
    // Whoever changes these must list the old Depositories as `old_depositories` in every network's file: money that is
    // sent to them is still somebody's.
    expect(keccak256(Depository.bytecode)).toBe('0x1aaac0065182731cba82c4d827ab78213c040e87803a20bc0461fda75f0bc204')
    expect(keccak256(Paymaster.bytecode)).toBe('0x58ec0781f6f8558cac01b21f441b366f11fd27e39b99fdd83d8c919202045ca0')
  })
})
