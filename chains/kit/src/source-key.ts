/** How a draft or a slot names a deposit address: `index`, or `branch/index` outside branch 0. */
import { Bug, type SweepSource } from '@causeway/core'

type Derivation = Pick<SweepSource, 'index' | 'branch'>

export function sourceKey({ index, branch = 0 }: Derivation): string {
  return branch === 0 ? `${index}` : `${branch}/${index}`
}

export function parseSourceKey(key: string): Required<Derivation> {
  const match = /^(?:([1-9]\d{0,9})\/)?(0|[1-9]\d{0,9})$/.exec(key)
  if (!match) throw new Bug('not a deposit address of a draft', { key })
  return { index: Number(match[2]), branch: Number(match[1] ?? 0) }
}
