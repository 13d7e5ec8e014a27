/**
 * The networks of the sandbox: those of the folder whose family has a local chain. The service reads a copy of their
 * files. So a network without a local chain, whose file may name public nodes, is never opened with the sandbox's
 * public keys.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type DevnetFamily, NETWORK_TYPES } from '@causeway/core'
import { ConfigError } from '@causeway/server'
import { z } from 'zod'
import type { DevnetFamilies } from './families.ts'

export interface StagedNetworks {
  /** The folder of copies. */
  folder: string
  /** Names of networks without a local chain. */
  leftOut: string[]
  remove(): Promise<void>
}

const ROOT = path.join(import.meta.dirname, '../..')

/** The fields needed to choose a network; the catalogue checks the rest. */
const NetworkFile = z.object({
  name: z.string(),
  type: z.enum(NETWORK_TYPES),
  settings: z.record(z.string(), z.unknown()).default({}),
  inactive: z.string().optional(),
})

/** A real network that a local chain replaces. Its depths suit the real chain, so the sandbox replaces them. */
const RealNetwork = z.looseObject({
  nodes: z.array(z.string()).min(1),
  confirmations: z.array(z.looseObject({ confirmations: z.number() })),
  final_depth: z.number(),
})
const Paced = z.looseObject({ poll_ms: z.number() })
const QUICK_MS = 300
/** The idle poll interval, short enough to keep the sandbox responsive. */
const IDLE_MS = 5_000
/** A local chain mines few blocks, so hundreds of confirmations would never be reached. */
const LOCAL_FINAL_DEPTH = 8

/** Copies the network files. `only`: the wanted networks; all of the folder if absent. */
export async function stageNetworks(
  folder: string,
  devnets: DevnetFamilies,
  only?: readonly string[],
): Promise<StagedNetworks> {
  const from = path.resolve(ROOT, folder)
  if (!existsSync(from)) throw new ConfigError(`there is no folder ${from}`)
  const files = readdirSync(from).filter((file) => file.endsWith('.json'))
  const to = mkdtempSync(path.join(os.tmpdir(), 'causeway-networks-'))
  const leftOut: string[] = []
  for (const file of files) {
    const raw = readJson(path.join(from, file))
    const parsed = NetworkFile.safeParse(raw)
    if (parsed.success && only && !only.includes(parsed.data.name)) continue
    const devnet = parsed.success && !parsed.data.inactive ? await devnets(parsed.data.type) : null
    const settings = parsed.success && devnet !== null ? standIn(devnet, parsed.data.settings) : null
    if (parsed.success && settings === null) leftOut.push(parsed.data.name)
    // A malformed file is copied too: the catalogue then reports what is wrong.
    else writeFileSync(path.join(to, file), JSON.stringify(played(raw, settings)))
  }
  return { folder: to, leftOut, remove: () => rm(to, { recursive: true, force: true }) }
}

function standIn(devnet: DevnetFamily, settings: Readonly<Record<string, unknown>>) {
  return devnet.standIn ? devnet.standIn(settings) : settings
}

function played(raw: unknown, settings: Readonly<Record<string, unknown>> | null): unknown {
  const real = RealNetwork.safeParse(raw)
  if (!real.success) return settings === null ? raw : { ...(raw as object), settings, ...paceOf(raw) }
  const { confirmations, final_depth: finalDepth } = real.data
  return {
    ...real.data,
    settings,
    nodes: [],
    // 1, 2, 4 confirmations by tier.
    confirmations: confirmations.map((tier, index) => ({
      ...tier,
      confirmations: Math.min(tier.confirmations, 2 ** index),
    })),
    final_depth: Math.min(finalDepth, LOCAL_FINAL_DEPTH),
    ...paceOf(raw),
  }
}

/** Settings of the poll interval: a quickly polled network has no slower idle interval. */
function paceOf(raw: unknown): object {
  const { success, data } = Paced.safeParse(raw)
  return success && data.poll_ms >= QUICK_MS ? { idle_poll_ms: IDLE_MS } : {}
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${String(error)}`)
  }
}
