/** Copies a text, and confirms it for a moment in the same place. */
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import type { IconName } from './icon.tsx'

interface CopyProps {
  text: string
  label: string
  done: string
  /** The accessible name, if the label alone says too little. */
  name?: string
  icon?: IconName
  look?: 'small' | 'plain small' | 'plain' | 'tint' | 'line'
}

const SHOWN_MS = 1_500

export function Copy({ text, label, done, name, look = 'small', icon = 'copy' }: CopyProps) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <Button
      {...(look === 'line' ? {} : { look })}
      icon={isDone ? 'check' : icon}
      onClick={() => void copy()}
      aria-label={name ?? label}
    >
      <span aria-live="polite">{isDone ? done : label}</span>
    </Button>
  )
}
