import { expect, it } from 'vitest'
import { networkOf } from '../../../../core/src/fixtures.ts'
import { poolOptionsOf } from './open-base.ts'

it("opens nodes with the network's settings, the log, the clock and the request counter", () => {
  const network = networkOf({ name: 'TEST', nodes: ['https://a.example', 'https://b.example'], quorum: 2 })
  const log = { info() {}, warn() {}, error() {} }
  const spent = () => {}
  expect(poolOptionsOf({ network, log, spent })).toEqual({
    network: 'TEST',
    nodes: network.nodes,
    quorum: 2,
    log,
    now: Date.now,
    spent,
  })
})
