/** A CSV export has the list's content, and no cell is a formula. */
import { expect, test } from 'vitest'
import { csvOf } from './export.ts'

test('commas, quotes and line breaks stay inside their cell', () => {
  expect(csvOf(['a', 'b'], [['1,5', 'say "no"']])).toBe('a,b\r\n"1,5","say ""no"""\r\n')
  expect(csvOf(['a'], [['two\nlines']])).toBe('a\r\n"two\nlines"\r\n')
})

test('a cell that looks like a formula is text, a negative number is a number', () => {
  const rows = ['=HYPERLINK("x")', '+1', '@x', '-0.5 ETH', '-0.5'].map((text) => [text])
  expect(csvOf(['a'], rows)).toBe(`a\r\n"'=HYPERLINK(""x"")"\r\n"'+1"\r\n"'@x"\r\n"'-0.5 ETH"\r\n-0.5\r\n`)
})
