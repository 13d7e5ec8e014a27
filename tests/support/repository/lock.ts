/**
 * `npm run lock`: completes the lock file after an install. Packages with native code come in a variant for each platform,
 * and a registry mirror may hold only some of them; npm then leaves the others out of the lock, and `npm ci` refuses it.
 * Their entries follow from their names and from the package that wants them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FILE = path.join(import.meta.dirname, '../../../package-lock.json')
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'wasm32',
]
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32']

interface Entry {
  version?: string
  optional?: boolean
  dev?: boolean
  /** A development dependency, or an optional peer of another package. */
  devOptional?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

interface Lock {
  packages: Record<string, Entry>
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Lock
}

/** The missing platform variants, with the entries that they should have. */
export function missingVariants({ packages }: Lock): Record<string, Entry> {
  const missing: Record<string, Entry> = {}
  for (const entry of Object.values(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`
      const variant = packages[place] ? null : variantOf(name, version)
      if (variant) missing[place] = entry.dev ? { ...variant, dev: true } : variant
    }
  }
  return missing
}

/** The platform in the name of a variant, as in `@scope/cli-linux-x64-musl`; null if it names none. */
function variantOf(name: string, version: string): Entry | null {
  const words = name.split(/[/_.-]/).map((word) => word.replace('windows', 'win32'))
  const os = SYSTEMS.find((system) => words.includes(system))
  const cpu = PROCESSORS.find((processor) => words.includes(processor))
  if (!os || !cpu || !/^[~^]?\d/.test(version)) return null
  const libc = os !== 'linux' ? null : words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : null
  return {
    version: version.replace(/^[~^]/, ''),
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  }
}

if (process.argv[1] === import.meta.filename) {
  const lock = readLock()
  const missing = missingVariants(lock)
  const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`)
  console.log(`${Object.keys(missing).length} variants for other platforms were added to the lock file`)
}
