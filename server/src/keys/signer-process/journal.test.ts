import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Order } from '@causeway/core'
import { describe, expect, it } from 'vitest'
import { ACCOUNT, BOB, ETHER, makeFolder, NETWORK, payment, testCatalogue } from '../testing.ts'
import { openJournal, type Signing } from './journal.ts'

const AT = new Date('2026-11-15T12:00:00Z')
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)

const of = (order: Order, slot: string[], more: Partial<Signing> = {}): Signing => ({
  ...{ network: NETWORK, order, slot, maxCost: { feeUnits: 0n }, approvals: [], isProven: true },
  ...more,
})

async function open() {
  const { folder, networks } = makeFolder()
  const file = path.join(folder, 'journal')
  return { file, journal: await openJournal(file), ...(await testCatalogue(networks)) }
}

describe('the journal', () => {
  it('remembers the order of a slot and the outflow of the hour after it is opened again', async () => {
    const { file, journal, eth } = await open()
    const order = payment(eth, ETHER)
    expect(journal.standing(of(order, ['5']))).toBe('new')
    journal.record(AT, of(order, ['5']))
    journal.record(AT, of(order, ['5']))
    journal.close()
    const again = await openJournal(file)
    expect(again.standing(of(order, ['5']))).toBe('same')
    expect(again.standing(of(payment(eth, ETHER, BOB), ['5']))).toBe('other')
    expect(again.standing({ ...of(payment(eth, ETHER, BOB), ['5']), network: 'ELSEWHERE' })).toBe('new')
    expect(again.outflow(later(59)).units(NETWORK, 'native', 'hour')).toBe(ETHER)
    expect(again.outflow(later(59)).orders(NETWORK)).toBe(1)
    expect(again.outflow(later(60)).units(NETWORK, 'native', 'hour')).toBe(0n)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
    again.close()
  })

  it('fences each coin of a slot, and counts an order once that takes a further coin', async () => {
    const { journal, eth } = await open()
    const order = payment(eth, ETHER)
    journal.record(AT, of(order, ['a:0', 'b:1']))
    expect(journal.standing(of(payment(eth, 1n), ['b:1', 'c:0']))).toBe('other')
    journal.record(AT, of(order, ['b:1', 'c:0']))
    expect(journal.standing(of(payment(eth, 1n), ['c:0']))).toBe('other')
    expect(journal.outflow(AT).units(NETWORK, 'native', 'hour')).toBe(ETHER)
    journal.close()
  })

  it('drops a torn last line, which was never answered with a signature, and goes on behind the whole ones', async () => {
    const { file, journal, eth } = await open()
    journal.record(AT, of(payment(eth, 1n), ['1']))
    journal.close()
    appendFileSync(file, '{"did":"signed","at":"2026-11-15T')
    const again = await openJournal(file)
    again.record(AT, of(payment(eth, 2n), ['2']))
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
    expect(() => journal.record(AT, of(payment(eth, 1n), ['1']))).toThrow('changed by somebody else')
    expect(() => journal.record(AT, of(payment(eth, 1n), ['1']))).toThrow('must be restarted')
    expect(journal.standing(of(payment(eth, 1n), ['1']))).toBe('new')
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
    journal.record(AT, of(payment(eth, ETHER), ['5']))
    expect(journal.release(AT, NETWORK, ACCOUNT, ['6'])).toBe(false)
    expect(journal.release(AT, NETWORK, ACCOUNT, ['5'])).toBe(true)
    journal.close()
    const again = await openJournal(file)
    expect(again.standing(of(payment(eth, 1n), ['5']))).toBe('new')
    expect(again.outflow(AT).units(NETWORK, 'native', 'hour')).toBe(ETHER)
    again.close()
  })

  it('holds a slot of several coins to the order of every one of them', async () => {
    const { journal, eth } = await open()
    const [first, second] = [payment(eth, 1n), payment(eth, 2n)]
    journal.record(AT, of(first, ['a:0']))
    journal.record(AT, of(second, ['b:0']))
    expect(journal.standing(of(first, ['a:0', 'b:0']))).toBe('other')
    expect(journal.standing(of(second, ['a:0', 'b:0']))).toBe('other')
    expect(journal.standing(of(first, ['a:0', 'c:0']))).toBe('same')
    journal.close()
  })

  it('lets what was told of a coin never change, for another coin of the slot or for a cancellation either', async () => {
    const { file, journal, eth } = await open()
    const order = payment(eth, 1n)
    const told = (...facts: string[]) => ({ maxCost: { feeUnits: 0n, facts } })
    journal.record(AT, of(order, ['a:0', 'b:0'], told('10', '1')))
    journal.close()
    const again = await openJournal(file)
    expect(again.standing(of(order, ['a:0', 'b:0'], told('10', '1')))).toBe('same')
    expect(again.standing(of(order, ['a:0', 'b:0'], told('1', '10')))).toBe('changed')
    expect(again.standing(of(order, ['b:0', 'c:0'], told('10', '5')))).toBe('changed')
    again.record(AT, of({ kind: 'cancel', account: ACCOUNT }, ['b:0', 'c:0'], told('1', '5')))
    expect(again.standing(of(order, ['c:0'], told('6')))).toBe('changed')
    expect(again.standing(of(order, ['a:0'], told('10')))).toBe('same')
    again.close()
  })

  it('counts the dearest fee of a slot once, for an hour, and units for a day', async () => {
    const { file, journal, eth } = await open()
    const order = payment(eth, ETHER)
    const costs = (feeUnits: bigint) => of(order, ['5'], { maxCost: { feeUnits } })
    journal.record(AT, costs(100n))
    journal.record(later(1), costs(70n))
    expect(journal.furtherFee(costs(130n))).toBe(30n)
    journal.record(later(2), costs(130n))
    journal.record(later(3), of({ kind: 'cancel', account: ACCOUNT }, ['5'], { maxCost: { feeUnits: 150n } }))
    journal.close()
    const again = await openJournal(file)
    expect(again.outflow(later(59)).fees(NETWORK)).toBe(150n)
    expect(again.outflow(later(60)).fees(NETWORK)).toBe(50n)
    expect(again.outflow(later(59)).orders(NETWORK)).toBe(1)
    expect(again.outflow(later(24 * 60 - 1)).units(NETWORK, 'native', 'hour')).toBe(0n)
    expect(again.outflow(later(24 * 60 - 1)).units(NETWORK, 'native', 'day')).toBe(ETHER)
    expect(again.outflow(later(24 * 60)).units(NETWORK, 'native', 'day')).toBe(0n)
    expect(again.standing(costs(1n))).toBe('same')
    again.close()
  })

  it('keeps an approval for the slot it was used for, until that slot is released', async () => {
    const { file, journal, eth } = await open()
    const approved = (slot: string) => of(payment(eth, ETHER), [slot], { approvals: ['p#1'] })
    journal.record(AT, approved('5'))
    journal.close()
    const again = await openJournal(file)
    expect(again.usedApproval(approved('5'))).toBeNull()
    expect(again.usedApproval(approved('6'))).toBe('p#1')
    expect(again.release(AT, NETWORK, ACCOUNT, ['5'])).toBe(true)
    expect(again.usedApproval(approved('6'))).toBeNull()
    again.close()
  })

  it('tells every slot that a part was signed in for another order, and forgets a part whose time is over', async () => {
    const { file, journal, eth } = await open()
    const [order, other] = [payment(eth, ETHER), payment(eth, 1n)]
    journal.record(AT, of(order, ['a:0', 'b:0', 'until:1'], { approvals: ['p#1'] }))
    journal.record(AT, of(order, ['b:0', 'c:0', 'until:2']))
    journal.record(AT, of(order, ['b:0', 'c:0', 'until:2']))
    // All of its parts are known, and together they are another slot.
    journal.record(AT, of(order, ['c:0', 'a:0', 'until:2']))
    journal.close()
    const again = await openJournal(file)
    expect(again.held(of(order, ['a:0']))).toEqual([])
    expect(again.held(of(other, ['a:0', 'd:0', 'b:0']))).toEqual([
      {
        part: 'a:0',
        slots: [
          ['a:0', 'b:0', 'until:1'],
          ['c:0', 'a:0', 'until:2'],
        ],
      },
      {
        part: 'b:0',
        slots: [
          ['a:0', 'b:0', 'until:1'],
          ['b:0', 'c:0', 'until:2'],
        ],
      },
    ])
    again.expire(AT, NETWORK, ACCOUNT, ['a:0'])
    again.close()
    const third = await openJournal(file)
    expect(third.standing(of(other, ['a:0']))).toBe('new')
    expect(third.standing(of(other, ['a:0', 'b:0']))).toBe('other')
    expect(third.usedApproval(of(order, ['e:0'], { approvals: ['p#1'] }))).toBe('p#1')
    expect(third.outflow(AT).units(NETWORK, 'native', 'hour')).toBe(ETHER)
    third.close()
  })

  it('lets no time free a part for which something unproven was signed, before or after', async () => {
    const { journal, eth } = await open()
    const [order, other] = [payment(eth, ETHER), payment(eth, 1n)]
    journal.record(AT, of(order, ['a:0']))
    expect(journal.held(of(other, ['a:0']))).toEqual([{ part: 'a:0', slots: [['a:0']] }])
    journal.record(AT, of(order, ['a:0'], { isProven: false }))
    journal.record(AT, of(order, ['a:0']))
    expect(journal.held(of(other, ['a:0']))).toEqual([])
    journal.close()
  })

  it('reads the lines of earlier releases, which tell of no fee', async () => {
    const { file, journal, eth } = await open()
    const order = payment(eth, ETHER)
    journal.record(AT, of(order, ['5'], { maxCost: { feeUnits: 7n, facts: ['1'] } }))
    journal.close()
    const { fee, facts, ...line } = JSON.parse(readFileSync(file, 'utf8'))
    expect([fee, facts]).toEqual(['7', ['1']])
    writeFileSync(file, `${JSON.stringify(line)}\n`)
    const again = await openJournal(file)
    expect(again.standing(of(order, ['5'], { maxCost: { feeUnits: 0n, facts: ['1'] } }))).toBe('same')
    again.record(AT, of(order, ['5'], { maxCost: { feeUnits: 0n, facts: ['1'] } }))
    expect(again.standing(of(order, ['5'], { maxCost: { feeUnits: 0n, facts: ['2'] } }))).toBe('changed')
    again.close()
  })
})
