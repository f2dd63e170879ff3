// Navigation in the list of messages: to a message, a finding, the first, the last, and to the next by
// keyboard.
import type { Virtualizer } from '@tanstack/react-virtual'
import type { KeyboardEvent, RefObject } from 'react'
import { useMemo } from 'react'
import type { MessageWindow } from './message-window.ts'

export interface MessageListHandle {
  toFirst(): void
  toLast(): void
  /**
   * Loads the message, shows it at the top and focuses it, or focuses the marker of the finding. A result
   * that is shown with its call leads to the call. With `keepsFocus` the message is only highlighted.
   */
  goTo(index: number, finding?: string, keepsFocus?: boolean): Promise<void>
  /** After a message was folded from its end, scrolls back to it. */
  keepInView(index: number): void
  onKey(event: KeyboardEvent): void
}

/** The list is mounted a moment after the first answer. */
const DRAWN_FRAMES = 60

/** Null if the list is not mounted in time. */
export async function whenDrawn(list: RefObject<MessageListHandle | null>): Promise<MessageListHandle | null> {
  for (let frame = 0; list.current === null && frame < DRAWN_FRAMES; frame++) await new Promise(requestAnimationFrame)
  return list.current
}

const SHOWN_MS = 1500
/** A message that was just loaded is measured once or twice before its position is final. */
const FRAMES = 12

export function useListHandle(
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  messages: MessageWindow,
  scroller: RefObject<HTMLDivElement | null>,
): MessageListHandle {
  return useMemo(() => {
    const find = (selector: string) => scroller.current?.querySelector<HTMLElement>(selector) ?? null
    const show = (index: number, finding: string | undefined, keepsFocus = false) => {
      virtualizer.scrollToIndex(index, { align: 'start' })
      focusSoon(
        () =>
          (finding === undefined ? null : find(`[data-finding="${CSS.escape(finding)}"]`)) ??
          find(`[data-index="${index}"]`),
        element => {
          if (index > 0 && element.dataset['index'] !== undefined && element.offsetHeight === 0)
            show(index - 1, undefined, keepsFocus)
          else highlight(element, keepsFocus)
        },
      )
    }
    const last = () => virtualizer.options.count - 1
    return {
      toFirst: () => virtualizer.scrollToIndex(0, { align: 'start' }),
      toLast: () => virtualizer.scrollToEnd(),
      async goTo(index, finding, keepsFocus) {
        const wanted = Math.max(0, Math.min(index, last()))
        await messages.bring(wanted)
        show(wanted, finding, keepsFocus)
      },
      // After the message has its new height and the list has measured it.
      keepInView: index => requestAnimationFrame(() => requestAnimationFrame(() => virtualizer.scrollToIndex(index))),
      onKey(event) {
        if (event.key === 'Home') virtualizer.scrollToIndex(0, { align: 'start' })
        else if (event.key === 'End') virtualizer.scrollToEnd()
        else if (event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
          const step = event.key === 'ArrowDown' ? 1 : -1
          show(Math.max(0, Math.min(last(), nextOf(event, virtualizer, step))), undefined)
        } else return
        event.preventDefault()
      },
    }
  }, [virtualizer, messages, scroller])
}

/** Starts at the focused message or the first on the screen. Skips results that are shown with their call. */
function nextOf(event: KeyboardEvent, virtualizer: Virtualizer<HTMLDivElement, Element>, step: 1 | -1): number {
  const focused = event.target instanceof Element ? event.target.closest('[data-index]') : null
  const from =
    focused === null ? (virtualizer.range?.startIndex ?? 0) - step : Number(focused.getAttribute('data-index'))
  let next = from + step
  while (virtualizer.measurementsCache[next]?.size === 0) next += step
  return next
}

/** The element may not be mounted yet. */
function focusSoon(find: () => HTMLElement | null, use: (element: HTMLElement) => void, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const element = find()
    if (element !== null) use(element)
    else if (frames > 0) focusSoon(find, use, frames - 1)
  })
}

function highlight(element: HTMLElement, keepsFocus: boolean): void {
  if (!keepsFocus) element.focus({ preventScroll: true })
  element.dataset['here'] = ''
  setTimeout(() => delete element.dataset['here'], SHOWN_MS)
}
