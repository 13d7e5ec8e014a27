/** The only place of the sandbox that loads a family's local chain, by the type in a network file. */
import type { DevnetFamily, NetworkType } from '@causeway/core'

/** A family's local chains; null if the family is not installed, or has none. */
export type DevnetFamilies = (type: NetworkType) => Promise<DevnetFamily | null>

export const loadDevnet: DevnetFamilies = async (type) => {
  try {
    const module: { devnet: DevnetFamily } = await import(`@causeway/${type}-local`)
    return module.devnet
  } catch (error) {
    if (isAbsent(error, type)) return null
    throw error
  }
}

/** True if the package itself is missing. A missing module deeper inside is a bug and must surface. */
function isAbsent(error: unknown, type: NetworkType): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'@causeway/${type}-local'`)
}
