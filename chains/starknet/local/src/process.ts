/** The process behind `index.ts`: the local chains of the family over HTTP JSON-RPC. */
import { serveChains } from '@causeway/devnet/kit'
import type { ChainPlan } from './plan.ts'
import { openLocal } from './rpc-server.ts'

serveChains(async (plan: ChainPlan) => openLocal(plan))
