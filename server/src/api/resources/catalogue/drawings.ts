/** The drawn logos in `server/logos`, and the sprite that holds all of an environment. Origin: `server/logos/README.md`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.join(import.meta.dirname, '../../../../logos')

const drawings = { networks: read('networks'), tokens: read('tokens') }

/** The drawing of a logo; null if there is none. Test networks share the logo of their main network. */
export function drawingOf(kind: string, name: string): string | null {
  if (kind === 'networks') return drawings.networks.get(name.split('_')[0] ?? '') ?? null
  return kind === 'tokens' ? (drawings.tokens.get(name) ?? null) : null
}

export interface Logo {
  id: string
  svg: string
}

const CELL = 24

/** One picture per cell, below each other; a `view` shows one of them. */
export function drawSprite(logos: readonly Logo[]): string {
  const cells = logos.map(({ id, svg }, at) => {
    const y = at * CELL
    const view = `<view id="${id}" viewBox="0 ${y} ${CELL} ${CELL}"/>`
    return `${view}${svg.replace('<svg ', `<svg y="${y}" width="${CELL}" height="${CELL}" `)}`
  })
  const size = `width="${CELL}" height="${CELL * logos.length}" viewBox="0 0 ${CELL} ${CELL * logos.length}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${cells.join('')}</svg>`
}

/** The drawings by name, in upper case as in the network files. */
function read(kind: string): ReadonlyMap<string, string> {
  const folder = path.join(FOLDER, kind)
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.svg')) : []
  return new Map(
    files.map((file) => [file.slice(0, -'.svg'.length), readFileSync(path.join(folder, file), 'utf8').trim()]),
  )
}
