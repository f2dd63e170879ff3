// Health as a drawer over the right part of the conversation, if there is no room beside it. Esc and its
// button close it.
import { useEffect, useRef } from 'react'
import { IconButton } from '../common/icon-button.tsx'
import { IconClose } from '../common/icons.tsx'
import { HealthPane } from '../health/health-pane.tsx'
import { useEscape } from '../keyboard.ts'
import { showPane } from '../state/view.ts'

const close = () => showPane('conversation')

export function HealthDrawer() {
  const drawer = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const own = drawer.current
    own?.focus({ preventScroll: true })
    return () => {
      const isInside = own?.contains(document.activeElement) === true || document.activeElement === document.body
      if (isInside && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  useEscape('Close health', close)
  return (
    <div
      ref={drawer}
      tabIndex={-1}
      data-drawer
      className="absolute inset-y-0 right-0 z-20 w-[min(380px,100%)] border-line border-l bg-page shadow-[-8px_0_24px_-16px_rgb(0_0_0/0.35)] outline-none"
    >
      <HealthPane
        aside={
          <IconButton size="sm" label="Close health" onClick={close}>
            <IconClose size={14} />
          </IconButton>
        }
      />
    </div>
  )
}
