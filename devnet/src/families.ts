/** The one place of the sandbox that loads a family's local chain: by the type that a network file names. */
import type { DevnetFamily, NetworkType } from '@causeway/core'

/** Null where the family is not there, or has no local chain. */
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

/** The package is missing. Anything that is missing deeper inside is a fault, and must be seen. */
function isAbsent(error: unknown, type: NetworkType): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'@causeway/${type}-local'`)
}
