/** The process behind `index.ts`: all local chains of the family over HTTP JSON-RPC. */
import { jsonRpc, serveChains } from '@causeway/devnet/kit'
import { openDevnetChain } from './chain.ts'
import type { ChainPlan } from './genesis.ts'

serveChains(async (plan: ChainPlan) => jsonRpc((await openDevnetChain(plan)).request))
