/** Clears what this browser remembers, after a question: there is no undo. */
import { useSignal } from '@preact/signals'
import { forgetEverything } from '../api/storage.ts'
import { shell as text } from '../text/texts.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { announce } from './announce.tsx'

export function Forget({ onForgotten = () => undefined }: { onForgotten?: () => void }) {
  const isAsking = useSignal(false)
  const close = () => (isAsking.value = false)
  const forget = () => {
    forgetEverything()
    close()
    onForgotten()
    announce(text.forgotten)
  }
  return (
    <>
      <Button look="plain" onClick={() => (isAsking.value = true)}>
        {text.forget}
      </Button>
      {isAsking.value && (
        <Sheet title={text.forgetTitle} closeLabel={text.close} onClose={close}>
          <p>{text.forgetText}</p>
          <div class="row">
            <Button look="danger" onClick={forget}>
              {text.forgetNow}
            </Button>
            <Button onClick={close}>{text.cancel}</Button>
          </div>
        </Sheet>
      )}
    </>
  )
}
