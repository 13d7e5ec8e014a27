/** The pages, built when a source of theirs is newer: a program of its own, so that the sandbox needs no bundler. */
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
