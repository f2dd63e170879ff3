// What is known of a conversation's messages, and where its reader is put when they were read again.
import type { ApiMessage, MessagesPage, MessagesQuery } from '../../../src/server/protocol.ts'

export const PAGE = 60

export type Facts = Omit<MessagesPage, 'from' | 'messages'>

export interface WindowState {
  /** Undefined until the first answer. */
  facts: Facts | undefined
  /** Of the first request: there is nothing to show. */
  failure: unknown
  /** Of a later one: what is held stays, and the person is told. */
  pageFailure: unknown
  /** Raised when the messages were read again and the reader has to be put to `place`. */
  generation: number
  place: number | 'end'
  /** While the messages are read again and what is held is still of the reading before: how far it is. */
  rereadTotal: number | undefined
}

export interface ReaderPlace {
  index: number
  isAtEnd: boolean
}

export const FIRST_STATE: WindowState = {
  facts: undefined,
  failure: undefined,
  pageFailure: undefined,
  generation: 0,
  place: 'end',
  rereadTotal: undefined,
}

/** A byte of the file stays where it is when the file is only appended to or patched, whatever the indexes do. */
export function queryFor(anchor: ApiMessage | undefined, place: ReaderPlace): MessagesQuery {
  if (anchor === undefined) return place.isAtEnd ? { limit: PAGE } : { from: place.index, limit: PAGE }
  if ('start' in anchor.at) return { around: anchor.at.start, limit: PAGE }
  return { from: Math.max(0, place.index - PAGE / 2), limit: PAGE }
}

export function hasReached(page: MessagesPage, anchor: ApiMessage | undefined): boolean {
  return anchor !== undefined && page.messages.some(({ id }) => id === anchor.id)
}

export function movedTo(
  state: WindowState,
  place: ReaderPlace,
  anchor: ApiMessage | undefined,
  page: MessagesPage,
): Partial<Pick<WindowState, 'generation' | 'place'>> {
  const generation = state.generation + 1
  if (place.isAtEnd) return { generation, place: 'end' }
  const same = page.messages.find(({ id }) => id === anchor?.id)
  // Still where it was: nothing has to move.
  if (same?.index === place.index) return {}
  return { generation, place: same?.index ?? Math.min(place.index, Math.max(0, page.total - 1)) }
}
