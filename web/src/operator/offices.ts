/** The rooms beside those of money: apps and keys, campaigns, the books after a restore, people, the audit log. */
import { type List, MONEY, ROLES } from './rooms.ts'

const ENVIRONMENTS = ['testnet', 'mainnet'] as const

export const ROOMS: Record<string, List[]> = {
  ...MONEY,
  apps: [
    {
      ...{ noun: 'app', verb: 'list' },
      rows: [
        { noun: 'webhook', verb: 'list', role: 'viewer', from: { app: 'name' }, reads: true },
        { noun: 'webhook', verb: 'add', role: 'admin', from: { app: 'name' }, ask: [{ name: 'url' }] },
        { noun: 'webhook', verb: 'remove', role: 'admin', from: { app: 'name' }, ask: [{ name: 'id' }] },
        { noun: 'webhook', verb: 'replay', role: 'support', from: { app: 'name' }, ask: [{ name: 'swap' }] },
        {
          ...{ noun: 'key', verb: 'create', role: 'admin', from: { app: 'name' } },
          ask: [
            { name: 'environment', options: ENVIRONMENTS },
            { name: 'kind', options: ['secret', 'public'] },
          ],
        },
      ],
      free: [{ noun: 'app', verb: 'create', role: 'admin', named: 'name' }],
    },
    {
      ...{ noun: 'key', verb: 'list' },
      rows: [
        { noun: 'key', verb: 'rotate', role: 'admin', from: { id: 'id' }, ask: [{ name: 'hours', optional: true }] },
        { noun: 'key', verb: 'revoke', role: 'admin', from: { id: 'id' } },
      ],
    },
  ],
  campaigns: [
    {
      ...{ noun: 'campaign', verb: 'list' },
      rows: [
        { noun: 'campaign', verb: 'payouts', role: 'viewer', from: { name: 'name' }, reads: true },
        {
          ...{ noun: 'campaign', verb: 'pause', role: 'operator', from: { name: 'name' } },
          ask: [{ name: 'what', options: ['both', 'earning', 'payouts'] }],
        },
        { noun: 'campaign', verb: 'resume', role: 'admin', from: { name: 'name' } },
      ],
      free: [{ noun: 'campaign', verb: 'retry', role: 'admin', ask: [{ name: 'payout' }] }],
    },
  ],
  books: [
    {
      ...{ noun: 'restored', verb: 'list' },
      free: [
        { noun: 'restored', verb: 'paid', role: 'admin', ask: [{ name: 'payout' }, { name: 'transaction' }] },
        { noun: 'restored', verb: 'unpaid', role: 'admin', ask: [{ name: 'payout' }] },
        { noun: 'restored', verb: 'accept', role: 'admin', ask: [{ name: 'transaction' }] },
      ],
    },
  ],
  people: [
    {
      ...{ noun: 'operator', verb: 'list' },
      rows: [
        { noun: 'operator', verb: 'invite', role: 'admin', named: 'name' },
        { noun: 'operator', verb: 'role', role: 'admin', named: 'name', ask: [{ name: 'role', options: ROLES }] },
        { noun: 'operator', verb: 'remove', role: 'admin', named: 'name' },
      ],
      free: [
        {
          ...{ noun: 'operator', verb: 'add', role: 'admin', named: 'name' },
          ask: [
            { name: 'role', options: ROLES },
            { name: 'key', long: true },
          ],
        },
      ],
    },
  ],
  audit: [
    {
      ...{ noun: 'audit', verb: 'list' },
      free: [{ noun: 'audit', verb: 'verify', role: 'viewer', reads: true }],
    },
  ],
}
