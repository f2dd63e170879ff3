// Searches the output of a terminal.
import type { KeyboardEvent } from 'react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../common/format.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconArrowDown, IconArrowUp, IconClose } from '../common/icons.tsx'
import { useShortcut } from '../keyboard.ts'
import { searching } from './pane-keys.ts'
import { viewOf } from './views.ts'

const MARKS = {
  matchBackground: '#8f8f9c',
  matchOverviewRuler: '#8f8f9c',
  activeMatchBackground: '#c98a1b',
  activeMatchColorOverviewRuler: '#c98a1b',
}

export function SearchBox({ pane }: { pane: string }) {
  const [text, setText] = useState('')
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 })
  const view = viewOf(pane)
  useEffect(() => {
    const listening = view?.search.onDidChangeResults(setFound)
    return () => {
      listening?.dispose()
      view?.search.clearDecorations()
    }
  }, [view])
  const close = () => {
    searching.set(null)
    view?.terminal.focus()
  }
  const step = (isBack: boolean, wanted = text) => {
    const options = { decorations: MARKS, incremental: !isBack && wanted !== text }
    if (wanted === '') view?.search.clearDecorations()
    else if (isBack) view?.search.findPrevious(wanted, options)
    else view?.search.findNext(wanted, options)
  }
  const box = useRef<HTMLElement>(null)
  useShortcut('Escape', 'Close the search', () => (box.current?.contains(document.activeElement) ? close() : false))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    step(event.shiftKey)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search
      ref={box}
      className="absolute top-2 right-4 z-10 flex items-center gap-1 rounded-md border border-line-strong bg-page py-1 pr-1 pl-2 shadow-sm"
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a key or a click
        autoFocus
        aria-label="Search in the terminal"
        placeholder="Search"
        value={text}
        spellCheck={false}
        onChange={event => {
          setText(event.target.value)
          step(false, event.target.value)
        }}
        onKeyDown={onKeyDown}
        className="w-36 bg-transparent text-sm text-strong outline-none placeholder:text-quiet"
      />
      <span role="status" className="min-w-12 text-right text-quiet text-xs tabular-nums">
        {text === '' ? '' : words(found)}
      </span>
      <IconButton size="sm" label="Previous" onClick={() => step(true)}>
        <IconArrowUp size={14} />
      </IconButton>
      <IconButton size="sm" label="Next" onClick={() => step(false)}>
        <IconArrowDown size={14} />
      </IconButton>
      <IconButton size="sm" label="Close the search" onClick={close}>
        <IconClose size={14} />
      </IconButton>
    </search>
  )
}

function words({ resultIndex, resultCount }: { resultIndex: number; resultCount: number }): string {
  if (resultCount === 0) return 'not found'
  return resultIndex < 0 ? formatCount(resultCount) : `${formatCount(resultIndex + 1)} of ${formatCount(resultCount)}`
}
