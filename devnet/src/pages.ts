/** Builds the pages if a source is newer. Runs as a separate program, so that the sandbox does not load a bundler. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { createSteps, type Progress } from './steps.ts'

const ROOT = path.join(import.meta.dirname, '../..')

export async function buildPages(onProgress: (progress: Progress) => void = () => undefined): Promise<void> {
  await createSteps(onProgress).run(
    'pages',
    () => promisify(execFile)(process.execPath, [path.join(ROOT, 'web/build.ts'), '--if-stale'], { cwd: ROOT }),
    ({ stdout }) => (stdout.trim() === '' ? 'as they were built' : 'built'),
  )
}
