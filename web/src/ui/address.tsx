/** A full address in groups of four, with both ends bold, since people compare the ends. */
import { inFours } from '../money/format.ts'

export function Address({ text }: { text: string }) {
  const parts = inFours(text)
  const last = parts.splice(parts.length > 2 ? -2 : parts.length)
  return (
    <span class="fours">
      {parts.map((part, at) => (
        <span key={`${at}${part}`}>{part}</span>
      ))}
      {last.length > 0 && (
        // The last group never stands alone on a line.
        <span class="ending">
          {last.map((part, at) => (
            <span key={`${at}${part}`}>{part}</span>
          ))}
        </span>
      )}
    </span>
  )
}
