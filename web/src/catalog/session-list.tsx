// The list itself. Only visible rows are mounted, and a renewal does not move it.
import type { Ref } from 'react'
import { useId, useImperativeHandle, useMemo, useRef } from 'react'
import { formatCount } from '../common/format.ts'
import { useAgentTitles, useShortPath } from '../common/server.ts'
import { useStore } from '../state/store.ts'
import { openSession, view } from '../state/view.ts'
import { filters } from './filters.ts'
import type { Heading, Item } from './items.ts'
import { headingAt, makeItems } from './items.ts'
import { list } from './list.ts'
import { SessionOption } from './session-row.tsx'
import { useAnchor } from './use-anchor.ts'
import { useFocusedSessions } from './use-focused-sessions.ts'
import { activeRow, useListKeys } from './use-list-keys.ts'
import { useMorePages, useOpenInView, useRows } from './use-rows.ts'

export interface SessionListHandle {
  /** Moves the focus from the filter into the list. `isChosen` opens the active or the first row. */
  enter(isChosen: boolean): void
}

export function SessionList({ ref }: { ref: Ref<SessionListHandle> }) {
  const items = useItems()
  const { asked, state } = useStore(list)
  const { session } = useStore(view)
  const active = useStore(activeRow)
  const scroller = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const virtual = useRows(items, scroller)
  const keys = useListKeys(items, active ?? session, index => virtual.scrollToIndex(index))
  const shown = virtual.getVirtualItems()
  useAnchor(virtual, items, asked, session)
  useFocusedSessions(items, virtual.range, session)
  useMorePages(items.length, shown.at(-1)?.index ?? 0)
  useImperativeHandle(ref, () => ({
    enter(isChosen) {
      scroller.current?.focus()
      keys.move(0)
      if (isChosen) keys.open()
    },
  }))
  useOpenInView(items, session, index => virtual.scrollToIndex(index))
  const heading = headingAt(items, virtual.range?.startIndex ?? 0)
  const isActiveSeen = shown.some(({ key }) => key === active)
  const isStale = state === 'loading'
  return (
    <>
      {heading !== undefined && (
        <div aria-hidden="true" className="absolute inset-x-0 top-0 z-10 bg-raised pr-3">
          <GroupHeading heading={heading} />
        </div>
      )}
      <div
        ref={scroller}
        id="conversations"
        role="listbox"
        aria-label="Conversations"
        aria-busy={isStale}
        aria-activedescendant={isActiveSeen ? `${prefix}${active}` : undefined}
        tabIndex={0}
        onKeyDown={keys.onKeyDown}
        className={`group absolute inset-0 overflow-y-auto overscroll-contain ${isActiveSeen ? 'outline-none' : '-outline-offset-2'} ${isStale ? 'opacity-60' : ''}`}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              role="presentation"
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line item={items[index]} prefix={prefix} open={session} active={active} />
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

interface LineProps {
  item: Item | undefined
  prefix: string
  open: string | null
  active: string | null
}

function Line({ item, prefix, open, active }: LineProps) {
  const agentTitle = useAgentTitles()
  const { arrange } = useStore(filters)
  if (item === undefined) return null
  if (item.type === 'heading') return <GroupHeading heading={item} />
  const choose = () => {
    activeRow.set(item.key)
    openSession(item.key)
  }
  return (
    <SessionOption
      id={`${prefix}${item.key}`}
      row={item.row}
      agentTitle={agentTitle(item.row.agent)}
      isOpen={item.key === open}
      isActive={item.key === active}
      hasSize={arrange === 'largest'}
      onOpen={choose}
    />
  )
}

function useItems(): Item[] {
  const { rows, nextCursor } = useStore(list)
  const { arrange } = useStore(filters)
  const agentTitle = useAgentTitles()
  const shortPath = useShortPath()
  return useMemo(
    () => makeItems(rows, arrange, nextCursor === null, { agentTitle, shortPath }),
    [rows, arrange, nextCursor, agentTitle, shortPath],
  )
}

export function GroupHeading({ heading }: { heading: Heading }) {
  return (
    <div className="flex h-7 items-end gap-2 px-3.5 pb-1 text-xs">
      <span className="min-w-0 truncate font-semibold text-normal">{heading.label}</span>
      {heading.count !== undefined && <span className="text-quiet">{formatCount(heading.count)}</span>}
    </div>
  )
}
