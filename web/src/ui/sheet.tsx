/** The native dialog: a sheet from below on a phone, a box on a desktop. Esc closes it, and the focus returns. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import './sheet.css'

interface SheetProps {
  title: string
  closeLabel: string
  onClose: () => void
  wide?: boolean
  children: ComponentChildren
}

export function Sheet({ title, closeLabel, onClose, wide = false, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? 'sheet wide' : 'sheet'}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div class="sheet-head">
        <h2>{title}</h2>
        <IconButton name={closeLabel} icon="close" onClick={onClose} />
      </div>
      <div class="sheet-body">{children}</div>
    </dialog>
  )
}
