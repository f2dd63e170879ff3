// What is known about the messages of a conversation, and where the reader is placed after they were read
// again.
import type { ApiMessage, MessagesPage, MessagesQuery } from '../../../../src/server/protocol.ts'

export const PAGE = 60

export type Facts = Omit<MessagesPage, 'from' | 'messages'>

export interface WindowState {
  /** Undefined until the first answer. */
  facts: Facts | undefined
  /** The failure of the first request. There is nothing to show. */
  failure: unknown
  /** The failure of a later request. The loaded messages stay, and a banner reports it. */
  pageFailure: unknown
  /** Raised when the messages were read again and the list has to scroll to `place`. */
  generation: number
  place: number | 'end'
  /** The progress of a new reading while the messages of the old one are still shown. */
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

/** Uses a byte of the file, which stays valid when the file is appended to or patched, unlike an index. */
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
  // The message has kept its index, so nothing moves.
  if (same?.index === place.index) return {}
  return { generation, place: same?.index ?? Math.min(place.index, Math.max(0, page.total - 1)) }
}
