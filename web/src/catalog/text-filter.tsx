// The words that the list is filtered by. "/" focuses the field, Esc clears it, the arrow keys move into the
// list.
import { useEffect, useRef, useState } from 'react'
import { Key } from '../common/button.tsx'
import { IconClose, IconSearch } from '../common/icons.tsx'
import { useShortcut } from '../keyboard.ts'
import { useStore } from '../state/store.ts'
import { changeFilters, filters } from './filters.ts'

const TYPING_MS = 150

export function TextFilter({ onLeave }: { onLeave: (isChosen: boolean) => void }) {
  const { text } = useStore(filters)
  const [typed, setTyped] = useState(text)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => changeFilters({ text: typed }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, text])
  useShortcut('/', 'Filter the list', () => input.current?.select())
  useShortcut('Escape', 'Back', () => {
    if (document.activeElement !== input.current) return false
    if (typed !== '') changeFilters({ text: '' })
    else {
      // The list is empty, so the field just loses the focus.
      input.current?.blur()
      onLeave(false)
    }
    setTyped('')
    return true
  })
  return (
    <div className="relative">
      <IconSearch size={14} className="pointer-events-none absolute top-2 left-2 text-quiet" />
      <input
        ref={input}
        type="text"
        aria-label="Filter by text"
        placeholder="Filter"
        value={typed}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        onChange={event => setTyped(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
          event.preventDefault()
          onLeave(event.key === 'Enter')
        }}
        className="h-[30px] w-full rounded-md border border-line bg-page pr-8 pl-7 text-base text-strong placeholder:text-quiet"
      />
      {typed === '' ? (
        <span className="pointer-events-none absolute top-1.5 right-2 max-sm:hidden">
          <Key of="/" />
        </span>
      ) : (
        <button
          type="button"
          aria-label="Clear the filter text"
          onClick={() => changeFilters({ text: '' })}
          className="absolute top-0 right-0 flex size-[30px] items-center justify-center text-quiet hover:text-strong"
        >
          <IconClose size={14} />
        </button>
      )}
    </div>
  )
}
