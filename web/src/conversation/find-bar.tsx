// Searches in the open conversation, also in messages that are not loaded: the server knows all of them.
import type { KeyboardEvent, RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../common/format.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconArrowDown, IconArrowUp, IconClose, IconSearch } from '../common/icons.tsx'
import { useShortcut } from '../keyboard.ts'
import { api } from '../state/api.ts'
import { setWanted, takeChosen, wanted } from '../state/search-state.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { useMarks } from './use-marks.ts'
import type { MessageListHandle } from './window/list-handle.ts'

const TYPING_MS = 80

interface Props {
  sessionKey: string
  pane: RefObject<HTMLElement | null>
  list: RefObject<MessageListHandle | null>
}

export function FindBar(props: Props) {
  const text = useStore(wanted)
  const { pane } = props
  const open = () => {
    if (wanted.get() === null) setWanted('')
    else pane.current?.querySelector<HTMLInputElement>('search input')?.select()
  }
  useShortcut('mod+f', 'Search in the conversation', open)
  useShortcut('/', 'Search in the conversation', () =>
    pane.current?.contains(document.activeElement) === true ? open() : false,
  )
  useMarks(pane, text ?? '')
  // The words stay when another conversation is opened, also in its address.
  useEffect(() => {
    if (wanted.get() !== null) setWanted(wanted.get(), takeChosen())
  }, [])
  return text === null ? null : <OpenBar {...props} text={text} />
}

function OpenBar({ sessionKey, pane, list, text }: Props & { text: string }) {
  const asked = useSettled(text)
  const found = useRequest(`find ${sessionKey} ${asked}`, async signal =>
    asked.trim() === ''
      ? { messages: [], isMore: false }
      : await api.find(sessionKey, { text: asked, typing: 'yes' }, signal),
  )
  // What was found for fewer letters is neither counted nor gone through.
  const answer = asked === text ? found.answer : undefined
  const messages = answer?.messages
  const [at, setAt] = useState(0)
  const go = (place: number): void => {
    const count = messages?.length ?? 0
    const next = count === 0 ? 0 : (place + count) % count
    setAt(next)
    const message = messages?.[next]
    if (message !== undefined) void list.current?.goTo(message, undefined, true)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words begin at the first match again
  useEffect(() => {
    if (messages === undefined || asked.trim() === '') return
    const place = messages.indexOf(takeChosen() ?? -1)
    // The page shows a chosen message already.
    if (place === -1) go(0)
    else setAt(place)
  }, [messages])
  const box = useRef<HTMLElement>(null)
  const close = () => {
    setWanted(null)
    pane.current?.focus()
  }
  useShortcut('Escape', 'Close the search', () => (box.current?.contains(document.activeElement) ? close() : false))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    go(at + (event.shiftKey ? -1 : 1))
    event.preventDefault()
  }
  return (
    <search ref={box} className="flex items-center gap-1 border-line border-b bg-page py-1 pr-2 pl-4">
      <IconSearch size={14} className="shrink-0 text-quiet" />
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a key or a click
        autoFocus
        aria-label="Search in the conversation"
        placeholder="Search in the conversation"
        value={text}
        maxLength={1000}
        spellCheck={false}
        autoComplete="off"
        onChange={event => setWanted(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-7 min-w-0 flex-1 bg-transparent text-base text-strong outline-none placeholder:text-quiet"
      />
      <span role="status" className="shrink-0 px-1 text-quiet text-xs tabular-nums">
        {found.state === 'failed' ? found.failure.message : wordsOf(asked, at, answer)}
      </span>
      <IconButton size="sm" label="Previous match" onClick={() => go(at - 1)}>
        <IconArrowUp size={14} />
      </IconButton>
      <IconButton size="sm" label="Next match" onClick={() => go(at + 1)}>
        <IconArrowDown size={14} />
      </IconButton>
      <IconButton size="sm" label="Close the search" onClick={close}>
        <IconClose size={14} />
      </IconButton>
    </search>
  )
}

function wordsOf(asked: string, at: number, answer: { messages: number[]; isMore: boolean } | undefined): string {
  if (asked.trim() === '' || answer === undefined) return ''
  const { messages, isMore } = answer
  if (messages.length === 0) return 'Not found'
  return `${formatCount(at + 1)} of ${formatCount(messages.length)}${isMore ? '+' : ''}`
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
