/** Labels on the left, values on the right. */
export interface Fact {
  name: string
  value: string
  /** A less important note after the value. */
  note?: string
  look?: 'sub' | 'total'
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value, note, look }) => (
        <div key={name} class={look}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <span class="faint">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
