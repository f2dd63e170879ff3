// Watchers get what changed, together and no more often than a person sees; one that is behind gets only the present state.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LIVE_PAUSE_MS } from '../../limits.ts'
import type { LiveMessage, ServerMessage, TalkState } from '../../protocol.ts'
import { Watchers, type WatchingClient } from './watchers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const STATE: TalkState = {
  id: 'one',
  key: 'key',
  isListed: true,
  agent: 'mock',
  agentTitle: 'Mock',
  title: null,
  folder: '/',
  status: 'busy',
  pending: null,
  preparing: null,
  questions: [],
  restored: null,
  failure: null,
  heldElsewhere: null,
  plan: [],
  mode: null,
  commands: [],
}

function makeStage() {
  let text = ''
  const message = (id: string): LiveMessage => {
    const at = { file: 'journal', table: 'events', row: 1 }
    return { id, role: 'assistant', time: null, parts: [{ type: 'text', text }], at }
  }
  const watchers = new Watchers({ state: () => STATE, message, allIds: () => ['m1'] })
  const grow = (more: string): void => {
    text += more
    watchers.note({ messages: ['m1'], isOther: false })
  }
  return { watchers, grow }
}

class Reader implements WatchingClient {
  isOpen = true
  isBehind = false
  readonly got: ServerMessage[] = []
  send(message: ServerMessage): void {
    this.got.push(message)
  }
  isCongested(): boolean {
    return this.isBehind
  }
  /** What it got since it was last asked. */
  texts(): string[] {
    return this.got.splice(0).flatMap(message => {
      if (message.type !== 'conversation.messages') return []
      return message.messages.flatMap(({ parts }) => parts.map(part => ('text' in part ? part.text : '')))
    })
  }
}

test('many changes within a moment are one message', () => {
  const { watchers, grow } = makeStage()
  const reader = new Reader()
  watchers.add(reader)
  expect(reader.got.map(({ type }) => type)).toEqual(['conversation.state', 'conversation.messages'])
  reader.texts()
  for (const letter of 'abc') grow(letter)
  expect(reader.got).toEqual([])
  vi.advanceTimersByTime(LIVE_PAUSE_MS)
  expect(reader.texts()).toEqual(['abc'])
  vi.advanceTimersByTime(LIVE_PAUSE_MS)
  expect(reader.got).toEqual([])
})

test('who is behind is informed once it has caught up, and keeps nobody waiting', () => {
  const { watchers, grow } = makeStage()
  const [fast, slow] = [new Reader(), new Reader()]
  for (const reader of [fast, slow]) {
    watchers.add(reader)
    reader.texts()
  }
  slow.isBehind = true
  for (const letter of 'abc') {
    grow(letter)
    vi.advanceTimersByTime(LIVE_PAUSE_MS)
  }
  expect(fast.texts()).toEqual(['a', 'ab', 'abc'])
  expect(slow.texts()).toEqual([])
  slow.isBehind = false
  vi.advanceTimersByTime(LIVE_PAUSE_MS)
  expect(slow.texts()).toEqual(['abc'])
})

test('who has left gets nothing, and what is long is reported less often', () => {
  const { watchers, grow } = makeStage()
  const [gone, reader] = [new Reader(), new Reader()]
  watchers.add(gone)
  watchers.add(reader)
  gone.texts()
  reader.texts()
  gone.isOpen = false
  grow('x'.repeat(1024 * 1024))
  vi.advanceTimersByTime(LIVE_PAUSE_MS)
  expect(gone.got).toEqual([])
  expect(watchers.size).toBe(1)
  reader.texts()
  grow('y')
  vi.advanceTimersByTime(LIVE_PAUSE_MS)
  expect(reader.got).toEqual([])
  vi.advanceTimersByTime(LIVE_PAUSE_MS * 10)
  expect(reader.texts()).toHaveLength(1)
})
