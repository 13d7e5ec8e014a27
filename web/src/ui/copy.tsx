/** Copies a text, and confirms it for a moment in the same place. */
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

interface CopyProps {
  text: string
  label: string
  done: string
  /** The accessible name, if the label alone says too little. */
  name?: string
  look?: 'small' | 'plain small'
}

const SHOWN_MS = 1_500

export function Copy({ text, label, done, name, look = 'small' }: CopyProps) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <Button look={look} icon={isDone ? 'check' : 'copy'} onClick={() => void copy()} aria-label={name ?? label}>
      <span aria-live="polite">{isDone ? done : label}</span>
    </Button>
  )
}
