/** "Tell me when done": a browser notification, requested only after a click. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { status as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import type { Stage } from './story.ts'

const WAITING: Stage[] = ['waiting', 'sent', 'confirming', 'paying']
const OVER: Stage[] = ['done', 'returned', 'failed', 'owed']

export function TellMe({ stage, heading }: { stage: Stage; heading: string }) {
  const isWanted = useSignal(false)
  const isOver = OVER.includes(stage)
  useEffect(() => {
    if (isWanted.value && isOver && document.visibilityState === 'hidden') new Notification(heading)
  }, [isOver])
  const canTell = 'Notification' in window && Notification.permission !== 'denied'
  if (isOver || !canTell || !WAITING.includes(stage)) return null
  const want = async () => {
    isWanted.value = (await Notification.requestPermission()) === 'granted'
  }
  return (
    <Button icon="bell" disabled={isWanted.value} onClick={() => void want()}>
      {isWanted.value ? text.willTell : text.tell}
    </Button>
  )
}
