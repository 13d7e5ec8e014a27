/** Console pages besides those about money and integrators: the Depository, campaigns, the ledger, operators, the audit log. */
import { INTEGRATORS } from './integrators.ts'
import type { Action, Field, List } from './lists.ts'
import { MONEY, ROLES } from './rooms.ts'

/** A dry run shows the result and sends nothing. */
const DRY_RUN: Field = { name: 'dry-run', flag: true }
const ON: Field[] = [{ name: 'network', options: 'networks' }]
const DEPOSITORY = { noun: 'depository', role: 'admin' as const, ask: [...ON, DRY_RUN] }
const RESUME_CAMPAIGN: Action = { noun: 'campaign', verb: 'resume', role: 'admin', from: { name: 'name' } }

export const ROOMS: Record<string, List[]> = {
  ...MONEY,
  ...INTEGRATORS,
  depository: [
    {
      ...{ noun: 'depository', verb: 'status' },
      filters: [{ name: 'network', options: 'networks' }],
      free: [
        { ...DEPOSITORY, verb: 'pause' },
        { ...DEPOSITORY, verb: 'unpause' },
        { ...DEPOSITORY, verb: 'deploy', ask: [...ON, { name: 'with-paymaster', flag: true }, DRY_RUN] },
        { ...DEPOSITORY, verb: 'factory' },
        { ...DEPOSITORY, verb: 'rotate', ask: [...ON, { name: 'from' }, { name: 'to' }, DRY_RUN] },
      ],
    },
  ],
  campaigns: [
    {
      ...{ noun: 'campaign', verb: 'list' },
      rows: [
        { noun: 'campaign', verb: 'show', role: 'viewer', from: { name: 'name' }, reads: true },
        { noun: 'campaign', verb: 'payouts', role: 'viewer', from: { name: 'name' }, reads: true },
        {
          ...{ noun: 'campaign', verb: 'pause', role: 'operator', from: { name: 'name' } },
          ask: [{ name: 'what', options: ['both', 'earning', 'payouts'] }],
          undo: { how: () => RESUME_CAMPAIGN },
        },
        RESUME_CAMPAIGN,
      ],
      free: [{ noun: 'campaign', verb: 'retry', role: 'admin', ask: [{ name: 'payout' }] }],
    },
  ],
  books: [
    {
      ...{ noun: 'books', verb: 'result' },
      filters: [{ name: 'days', options: ['1', '7', '30', '90'] }],
      isExported: true,
    },
  ],
  people: [
    {
      ...{ noun: 'operator', verb: 'list' },
      rows: [
        { noun: 'operator', verb: 'invite', role: 'admin', named: 'name' },
        { noun: 'operator', verb: 'vouch', role: 'admin', named: 'name', ask: [{ name: 'fingerprint' }] },
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
      filters: [{ name: 'last', options: ['50', '200', '1000'] }],
      isExported: true,
      free: [{ noun: 'audit', verb: 'verify', role: 'viewer', ask: [{ name: 'expect', optional: true }], reads: true }],
    },
  ],
}
