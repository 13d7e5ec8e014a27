import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from './journal.ts'
import { ACCOUNT, BOB, ETHER, makeFolder, NETWORK, payment, testCatalogue } from './testing.ts'

const AT = new Date('2026-11-15T12:00:00Z')
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)

async function open() {
  const { folder, networks } = makeFolder()
  const file = path.join(folder, 'journal')
  return { file, journal: await openJournal(file), ...(await testCatalogue(networks)) }
}

describe('the journal', () => {
  it('remembers the order of a slot and the outflow of the hour after it is opened again', async () => {
    const { file, journal, eth } = await open()
    const order = payment(eth, ETHER)
    expect(journal.standing(NETWORK, order, ['5'])).toBe('new')
    journal.record(AT, NETWORK, order, ['5'])
    journal.record(AT, NETWORK, order, ['5'])
    journal.close()
    const again = await openJournal(file)
    expect(again.standing(NETWORK, order, ['5'])).toBe('same')
    expect(again.standing(NETWORK, payment(eth, ETHER, BOB), ['5'])).toBe('other')
    expect(again.standing('ELSEWHERE', payment(eth, ETHER, BOB), ['5'])).toBe('new')
    expect(again.outflow(later(59)).units(NETWORK, 'native')).toBe(ETHER)
    expect(again.outflow(later(59)).orders(NETWORK)).toBe(1)
    expect(again.outflow(later(60)).units(NETWORK, 'native')).toBe(0n)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
    again.close()
  })

  it('fences each coin of a slot, and counts an order once that takes a further coin', async () => {
    const { journal, eth } = await open()
    const order = payment(eth, ETHER)
    journal.record(AT, NETWORK, order, ['a:0', 'b:1'])
    expect(journal.standing(NETWORK, payment(eth, 1n), ['b:1', 'c:0'])).toBe('other')
    journal.record(AT, NETWORK, order, ['b:1', 'c:0'])
    expect(journal.standing(NETWORK, payment(eth, 1n), ['c:0'])).toBe('other')
    expect(journal.outflow(AT).units(NETWORK, 'native')).toBe(ETHER)
    journal.close()
  })

  it('drops a torn last line, which was never answered with a signature, and goes on behind the whole ones', async () => {
    const { file, journal, eth } = await open()
    journal.record(AT, NETWORK, payment(eth, 1n), ['1'])
    journal.close()
    appendFileSync(file, '{"did":"signed","at":"2026-11-15T')
    const again = await openJournal(file)
    again.record(AT, NETWORK, payment(eth, 2n), ['2'])
    again.close()
    const lines = readFileSync(file, 'utf8').split('\n')
    expect(lines.map((line) => line && JSON.parse(line).slot)).toEqual([['1'], ['2'], ''])
  })

  it('refuses to start on a damaged line', async () => {
    const { file, journal } = await open()
    journal.close()
    writeFileSync(file, 'nonsense\n')
    await expect(openJournal(file)).rejects.toThrow('damaged at line 1')
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  it('signs nothing more once somebody else wrote into it', async () => {
    const { file, journal, eth } = await open()
    appendFileSync(file, '{}\n')
    expect(() => journal.record(AT, NETWORK, payment(eth, 1n), ['1'])).toThrow('changed by somebody else')
    expect(() => journal.record(AT, NETWORK, payment(eth, 1n), ['1'])).toThrow('must be restarted')
    expect(journal.standing(NETWORK, payment(eth, 1n), ['1'])).toBe('new')
    journal.close()
  })

  it('is held by one process at a time, and taken over from one that is gone', async () => {
    const { file, journal } = await open()
    journal.close()
    writeFileSync(`${file}.lock`, `${process.ppid}\n`)
    await expect(openJournal(file)).rejects.toThrow('two signers must not share')
    const GONE = 2 ** 22 + 1
    writeFileSync(`${file}.lock`, `${GONE}\n`)
    const again = await openJournal(file)
    again.close()
  })

  it('forgets a slot that a person releases, and still counts what went out', async () => {
    const { file, journal, eth } = await open()
    journal.record(AT, NETWORK, payment(eth, ETHER), ['5'])
    expect(journal.release(AT, NETWORK, ACCOUNT, ['6'])).toBe(false)
    expect(journal.release(AT, NETWORK, ACCOUNT, ['5'])).toBe(true)
    journal.close()
    const again = await openJournal(file)
    expect(again.standing(NETWORK, payment(eth, 1n), ['5'])).toBe('new')
    expect(again.outflow(AT).units(NETWORK, 'native')).toBe(ETHER)
    again.close()
  })
})
