// The element that contains the xterm of a pane.
import { useEffect, useRef } from 'react'
import { focusPane } from './dock.ts'
import { handleKey } from './pane-keys.ts'
import { advance, pauseOutput, sendSize, type } from './requests.ts'
import { mountView, viewOf } from './views.ts'

export function PaneRoom({ pane, label }: { pane: string; label: string }) {
  const room = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = room.current
    if (element === null) return
    void mountView(pane, element, {
      input: data => type(pane, data),
      size: size => sendSize(pane, size),
      focus: () => focusPane(pane),
      key: event => handleKey(pane, event),
      behind: () => pauseOutput(pane),
      caughtUp: () => advance(pane),
    }).then(isThere => {
      if (!isThere) return
      advance(pane)
    })
  }, [pane])
  useEffect(() => {
    const textarea = viewOf(pane)?.terminal.textarea
    textarea?.setAttribute('aria-label', label)
  })
  return <div ref={room} className="relative min-h-0 min-w-0 flex-1 bg-raised" />
}
