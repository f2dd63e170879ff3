// A dialog of the browser's own: it keeps the focus inside, Esc
// closes it, and the focus goes back to where it was.
import type { MouseEvent, ReactNode } from 'react'
import { useEffect, useId, useRef } from 'react'
import { IconClose } from './icons.tsx'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** The buttons, at the bottom right. */
  actions?: ReactNode
  /** Where the dialog is its own heading, as the palette is. */
  isBare?: boolean
  width?: string
}

export function Dialog({ title, onClose, children, actions, isBare = false, width = 'max-w-md' }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    shown?.showModal()
    if (shown !== null) focusSafely(shown)
    return () => {
      shown?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the key for it, and the browser's own
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onClick={closeOutside}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      className={`mx-auto w-[calc(100%-24px)] ${width} ${isBare ? 'mt-[12vh]' : 'my-auto'} overflow-hidden rounded-md border border-line-strong bg-page p-0 text-normal shadow-lg backdrop:bg-black/40`}
    >
      {isBare ? (
        <h2 id={heading} className="sr-only">
          {title}
        </h2>
      ) : (
        <div className="flex items-center justify-between gap-3 border-line border-b py-2 pr-2 pl-4">
          <h2 id={heading} className="font-semibold text-base text-strong">
            {title}
          </h2>
          <button
            type="button"
            aria-label="Close"
            data-close
            onClick={onClose}
            className="flex size-8 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-strong"
          >
            <IconClose />
          </button>
        </div>
      )}
      <div className={isBare ? '' : 'max-h-[70vh] overflow-y-auto p-4'}>{children}</div>
      {actions !== undefined && (
        <div data-actions className="flex justify-end gap-2 border-line border-t bg-raised px-4 py-3">
          {actions}
        </div>
      )}
    </dialog>
  )
}

/**
 * The browser would choose ✕. A field comes first, then the button
 * that changes nothing: the first of the actions.
 */
function focusSafely(dialog: HTMLDialogElement): void {
  if (document.activeElement?.matches('[data-close]') !== true) return
  const safe =
    dialog.querySelector<HTMLElement>('input, textarea, select') ?? dialog.querySelector('[data-actions] button')
  if (safe instanceof HTMLElement) safe.focus()
}
