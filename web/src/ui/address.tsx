/** A full address in groups of four, with both ends bold, since people compare the ends. */
import { inFours } from '../money/format.ts'

export function Address({ text }: { text: string }) {
  return (
    <span class="fours">
      {inFours(text).map((part, at) => (
        <span key={`${at}${part}`}>{part}</span>
      ))}
    </span>
  )
}
