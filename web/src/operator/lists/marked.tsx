/** A text with the searched part marked. */
import { shortAddress, visible } from '../../money/format.ts'

export function Marked({ text, part, isShort = false }: { text: string; part: string; isShort?: boolean }) {
  const isFound = part !== '' && text.toLowerCase().includes(part.toLowerCase())
  const shown = visible(isShort ? shortAddress(text) : text)
  if (!isFound) return <span title={text}>{shown}</span>
  const at = shown.toLowerCase().indexOf(part.toLowerCase())
  if (at < 0) return <mark title={text}>{shown}</mark>
  return (
    <span title={text}>
      {shown.slice(0, at)}
      <mark>{shown.slice(at, at + part.length)}</mark>
      {shown.slice(at + part.length)}
    </span>
  )
}
