/** "Tell me when done": a browser notification, requested only by a click. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { status as text } from '../../text/en.ts'
import { Button } from '../../ui/button.tsx'
import type { Stage } from './logic.ts'

const OVER: Stage[] = ['done', 'returned', 'failed', 'owed']

export function TellMe({ stage, heading }: { stage: Stage; heading: string }) {
  const isWanted = useSignal(false)
  const isOver = OVER.includes(stage)
  useEffect(() => {
    if (isWanted.value && isOver && document.visibilityState === 'hidden') new Notification(heading)
  }, [isOver])
  const canTell = 'Notification' in window && Notification.permission !== 'denied'
  if (isOver || !canTell || (stage !== 'confirming' && stage !== 'paying')) return null
  const want = async () => {
    isWanted.value = (await Notification.requestPermission()) === 'granted'
  }
  return (
    <p>
      <Button disabled={isWanted.value} onClick={() => void want()}>
        {isWanted.value ? text.willTell : text.tell}
      </Button>
    </p>
  )
}
