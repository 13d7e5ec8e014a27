/** Drawn logos: safe to serve, unique inside the sprite, and used for test networks too. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { drawingOf, drawSprite } from './drawings.ts'

const FOLDER = path.join(import.meta.dirname, '../../../../logos')
const files = globSync('*/*.svg', { cwd: FOLDER }).map((file) => readFileSync(path.join(FOLDER, file), 'utf8'))

test('a drawing loads nothing and runs nothing', () => {
  expect(files.length).toBeGreaterThan(80)
  const unsafe = /<script|<foreignObject|<style|\son\w+=|data:|https?:\/\/(?!www\.w3\.org\/2000\/svg")/
  expect(files.filter((svg) => unsafe.test(svg) || !svg.startsWith('<svg '))).toEqual([])
})

test('no two drawings share an id, since all are in one sprite', () => {
  const ids = files.flatMap((svg) => [...new Set([...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))])
  expect(new Set(ids).size).toBe(ids.length)
})

test('a test network has the logo of its main network; names without a drawing have none', () => {
  expect(drawingOf('networks', 'BASE_SEPOLIA')).toBe(drawingOf('networks', 'BASE_MAINNET'))
  expect(drawingOf('tokens', 'USDC')).toContain('<svg')
  expect(drawingOf('tokens', 'NOTHING')).toBeNull()
  expect(drawingOf('apps', 'ETH')).toBeNull()
})

test('each logo of the sprite has a view of its own cell', () => {
  const sprite = drawSprite([
    { id: 'tokens-A', svg: '<svg viewBox="0 0 64 64"></svg>' },
    { id: 'tokens-B', svg: '<svg viewBox="0 0 64 64"></svg>' },
  ])
  expect(sprite).toContain(
    '<view id="tokens-B" viewBox="0 24 24 24"/><svg y="24" width="24" height="24" viewBox="0 0 64 64">',
  )
})
