// The virtual list of messages. Measuring items above the visible part never moves the text that is being
// read.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import type { Ref } from 'react'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { FindingMarker } from './finding-marker.tsx'
import type { PlacedFinding } from './finding-places.ts'
import { MessageItem } from './message-item.tsx'
import { NewMessages } from './new-messages.tsx'
import { useFocusOfPane } from './use-enter.ts'
import type { MessageListHandle } from './window/list-handle.ts'
import { useListHandle } from './window/list-handle.ts'
import type { MessageView } from './window/message-views.ts'
import type { MessageWindow } from './window/message-window.ts'
import { useNeededPages } from './window/use-needed-pages.ts'
import { EXACTLY_PX, useStayAtEnd } from './window/use-stay-at-end.ts'
import type { WindowState } from './window/window-state.ts'

/** The height of a message that was never on the screen. */
const ESTIMATE_PX = 120
const OVERSCAN = 8
/** Within this distance from the end, the list follows new messages. */
const AT_END_PX = 80
const NO_FINDINGS: readonly PlacedFinding[] = []

interface Props {
  messages: MessageWindow
  state: WindowState
  views: ReadonlyMap<number, MessageView>
  findings: ReadonlyMap<number, readonly PlacedFinding[]>
  ref: Ref<MessageListHandle>
}

export default function MessageList({ messages, state, views, findings, ref }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<number>()
  const [isAtEnd, setIsAtEnd] = useState(state.place === 'end')
  const total = state.facts?.total ?? 0
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE_PX,
    overscan: OVERSCAN,
    paddingEnd: 24,
    anchorTo: 'end',
    followOnAppend: true,
    // Nearer than that may be a reader who has just scrolled up.
    scrollEndThreshold: EXACTLY_PX,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    // The focused item stays mounted, or the keyboard would lose its position.
    rangeExtractor: range => {
      const shown = defaultRangeExtractor(range)
      if (focused === undefined || focused >= range.count || shown.includes(focused)) return shown
      return [...shown, focused].sort((one, other) => one - other)
    },
    onChange: instance => setIsAtEnd(instance.isAtEnd(AT_END_PX)),
  })
  // Also while scrolling up: an item above the visible part must not push the text.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, instance) => {
    const top = instance.scrollOffset ?? 0
    return instance.itemSizeCache.has(item.key) ? item.end <= top : item.start < top
  }
  const noteScroll = useStayAtEnd(scroller, {
    startsAtEnd: state.place === 'end',
    nearPx: AT_END_PX,
    toEnd: virtualizer.scrollToEnd,
  })
  const handle = useListHandle(virtualizer, messages, scroller)
  useImperativeHandle(ref, () => handle, [handle])
  useFocusOfPane(scroller)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the reader has to be put somewhere
  useLayoutEffect(() => {
    if (state.place === 'end') virtualizer.scrollToEnd()
    else virtualizer.scrollToIndex(state.place, { align: 'start' })
  }, [state.generation])
  useEffect(() => {
    messages.readPlace = () => ({ index: virtualizer.range?.startIndex ?? 0, isAtEnd: virtualizer.isAtEnd(AT_END_PX) })
  }, [messages, virtualizer])
  useNeededPages(messages, virtualizer.range, state)

  const items = virtualizer.getVirtualItems()
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="feed"
        aria-label="Messages"
        aria-busy={state.facts?.isComplete === false}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onKeyDown={handle.onKey}
        onScroll={noteScroll}
        onFocus={event => setFocused(indexOf(event.target))}
        onBlur={() => setFocused(undefined)}
        className="h-full overflow-y-auto overflow-x-hidden -outline-offset-2 [overflow-anchor:none]"
      >
        <div ref={virtualizer.containerRef} className="relative mx-auto w-full max-w-[928px]">
          {items.map(({ index, key, size }) => (
            <article
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={total}
              aria-label={views.get(index) === undefined ? `Message ${index + 1}, loading` : undefined}
              aria-labelledby={`message-${index}`}
              tabIndex={-1}
              className="absolute left-0 w-full px-4 -outline-offset-2 data-[here]:bg-accent-soft"
            >
              <Markers placed={findings.get(index) ?? NO_FINDINGS} />
              <Item view={views.get(index)} size={size} />
              {index === total - 1 && <Markers placed={findings.get(total) ?? NO_FINDINGS} />}
            </article>
          ))}
        </div>
      </div>
      <NewMessages
        total={total}
        isAtEnd={isAtEnd}
        isReading={state.facts?.isComplete === false}
        toEnd={() => virtualizer.scrollToEnd()}
      />
    </div>
  )
}

function indexOf(target: EventTarget): number | undefined {
  const item = target instanceof Element ? target.closest('[data-index]') : null
  return item === null ? undefined : Number(item.getAttribute('data-index'))
}

function Markers({ placed }: { placed: readonly PlacedFinding[] }) {
  return placed.map(finding => <FindingMarker key={finding.key} placed={finding} />)
}

/** Before it is loaded, it takes its last or estimated height. */
function Item({ view, size }: { view: MessageView | undefined; size: number }) {
  if (view !== undefined) return <MessageItem view={view} />
  return (
    <div aria-hidden="true" style={{ height: size }} className="flex flex-col gap-3 overflow-hidden pt-6">
      <span className="h-3 w-24 shrink-0 rounded bg-hover" />
      <span className="h-3 w-2/3 shrink-0 rounded bg-hover" />
      <span className="h-3 w-1/2 shrink-0 rounded bg-hover" />
    </div>
  )
}
