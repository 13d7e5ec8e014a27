/** The process behind `devnet.ts`: all local chains of the family over HTTP JSON-RPC. */
import { jsonRpc, serveChains } from '@causeway/devnet/kit'
import { openDevnetChain } from './devnet-chain.ts'
import type { ChainPlan } from './devnet-genesis.ts'

serveChains(async (plan: ChainPlan) => jsonRpc((await openDevnetChain(plan)).request))
