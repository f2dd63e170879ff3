// ⌘K: finds conversations and actions by keyboard.
import type { KeyboardEvent } from 'react'
import { useEffect, useId, useState } from 'react'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { IconSearch } from '../common/icons.tsx'
import { searched, setSearched } from '../state/search-state.ts'
import { useStore } from '../state/store.ts'
import { closeOverlay } from './overlay.ts'
import type { Entry } from './palette-entries.ts'
import { useEntries } from './palette-entries.ts'
import { PaletteEntry } from './palette-entry.tsx'

export function Palette() {
  const text = useStore(searched) ?? ''
  const setText = setSearched
  const { entries, state, isSettled } = useEntries(text)
  const [at, setAt] = useState(0)
  const id = useId()
  const active = Math.min(at, entries.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words begin at the first entry again
  useEffect(() => setAt(0), [text])
  useEffect(() => {
    document.getElementById(`${id}${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    close()
    // After the dialog is closed, so that the action may take the focus or open another dialog.
    setTimeout(entry.run)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event)
    if (step !== undefined) setAt(wrap(active + step, entries.length))
    else if (event.key === 'Enter') run(entries[active])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search and actions" onClose={close} isBare width="max-w-xl">
      <div className="flex items-center gap-2 border-line border-b px-4">
        <IconSearch className="text-quiet" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search conversations and actions"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={entries.length > 0 ? `${id}${active}` : undefined}
          aria-autocomplete="list"
          placeholder="Search what was said, conversations and actions"
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg text-strong outline-none placeholder:text-quiet"
        />
      </div>
      <div id={`${id}list`} role="listbox" aria-label="Found" className="h-[min(50vh,400px)] overflow-y-auto p-1.5">
        {entries.length === 0 && isSettled && <NothingFound text={text.trim()} clear={() => setText('')} />}
        {entries.map((entry, index) => (
          <PaletteEntry
            key={entry.id}
            id={`${id}${index}`}
            entry={entry}
            heading={headingOf(entries[index - 1], entry)}
            isActive={index === active}
            onPoint={() => setAt(index)}
            onRun={() => run(entry)}
          />
        ))}
      </div>
      <p role="status" className="h-8 border-line border-t px-4 text-quiet text-xs leading-8">
        {state}
      </p>
    </Dialog>
  )
}

function close(): void {
  setSearched(null)
  closeOverlay()
}

/** Passages are grouped by their conversation, other entries by their kind. */
function headingOf(before: Entry | undefined, entry: Entry): Entry | undefined {
  if (before?.kind !== entry.kind) return entry
  if (before.kind !== 'passage' || entry.kind !== 'passage') return undefined
  return before.result === entry.result ? undefined : entry
}

function NothingFound({ text, clear }: { text: string; clear: () => void }) {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-3 px-6 text-center">
      <p className="max-w-full text-base text-strong [overflow-wrap:anywhere]">Nothing matches “{cleanLine(text)}”</p>
      <p className="text-quiet text-sm">Try fewer or other words, or filter: role:user, since:2w, file:cart.ts</p>
      <Button size="sm" onClick={clear}>
        Clear search
      </Button>
    </div>
  )
}

function stepOf({ key, ctrlKey }: KeyboardEvent): number | undefined {
  if (key === 'ArrowDown' || (ctrlKey && key === 'n')) return 1
  if (key === 'ArrowUp' || (ctrlKey && key === 'p')) return -1
  return undefined
}

function wrap(index: number, count: number): number {
  return count === 0 ? 0 : (index + count) % count
}
