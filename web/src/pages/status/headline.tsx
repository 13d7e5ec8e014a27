/** The headline of the status page: its seal, its heading and its sentences. */
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { Stage, Story } from './story.ts'

const SEALS: Record<Stage, [IconName, '' | 'good' | 'info' | 'warn']> = {
  waiting: ['clock', ''],
  sent: ['spinner', ''],
  confirming: ['spinner', ''],
  paying: ['spinner', ''],
  done: ['check', 'good'],
  returning: ['undo', 'info'],
  returned: ['undo', 'info'],
  owed: ['pin', 'warn'],
  small: ['clock', 'info'],
  failed: ['warn', 'warn'],
  expired: ['clock', ''],
  new: ['info', ''],
}

/** Nothing more arrives in the headlines of these. */
const OVER: readonly Stage[] = ['done', 'returned', 'failed', 'expired', 'new']

/** A sentence with its countdown in bold, and its address in a fixed-width font. */
function Sentence({ text, bold, mono }: { text: string } & Pick<Story, 'bold' | 'mono'>) {
  const part = [bold, mono].find((one) => one && text.includes(one))
  if (!part) return <p>{text}</p>
  const at = text.indexOf(part)
  return (
    <p>
      {text.slice(0, at)}
      {part === bold ? <b>{part}</b> : <span class="mono">{part}</span>}
      {text.slice(at + part.length)}
    </p>
  )
}

export function Headline({ story: { stage, heading, sentences, bold, mono } }: { story: Story }) {
  const [icon, tone] = SEALS[stage]
  return (
    <div class={OVER.includes(stage) ? 'headline' : 'headline moving'}>
      <span class={`seal ${tone}`}>
        <Icon name={icon} spins={icon === 'spinner'} />
      </span>
      <div>
        <h1 id="where">{heading}</h1>
        {(sentences.length > 0 ? sentences : ['\u00a0']).map((sentence) => (
          <Sentence key={sentence} text={sentence} bold={bold ?? null} mono={mono ?? null} />
        ))}
      </div>
    </div>
  )
}
