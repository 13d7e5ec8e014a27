/** Console pages about integrators: apps, their keys and their webhooks. */
import type { List } from './lists.ts'

const ENVIRONMENTS = ['testnet', 'mainnet'] as const

export const INTEGRATORS: Record<string, List[]> = {
  apps: [
    {
      ...{ noun: 'app', verb: 'list' },
      rows: [
        { noun: 'webhook', verb: 'add', role: 'admin', from: { app: 'name' }, ask: [{ name: 'url' }] },
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
  webhooks: [
    {
      ...{ noun: 'webhook', verb: 'deliveries' },
      rows: [
        {
          ...{ noun: 'webhook', verb: 'body', role: 'viewer', from: { id: 'delivery' }, reads: true },
          shows: ['url', 'state', 'last answer'],
        },
        {
          ...{ noun: 'webhook', verb: 'replay', role: 'support', from: { app: 'app', swap: 'swap' } },
          shows: ['url', 'status'],
        },
      ],
      filters: [{ name: 'state', options: ['', 'waiting', 'given-up', 'delivered'], optional: true }],
    },
    {
      ...{ noun: 'webhook', verb: 'list' },
      rows: [
        { noun: 'webhook', verb: 'test', role: 'support', from: { app: 'app', id: 'id' }, shows: ['url'] },
        {
          ...{
            noun: 'webhook',
            verb: 'events',
            role: 'admin',
            from: { app: 'app', id: 'id' },
            shows: ['url', 'events'],
          },
          ask: [{ name: 'events' }],
        },
        { noun: 'webhook', verb: 'remove', role: 'admin', from: { app: 'app', id: 'id' }, shows: ['url'] },
      ],
      free: [{ noun: 'webhook', verb: 'replay', role: 'support', ask: [{ name: 'app' }, { name: 'swap' }] }],
    },
  ],
}
