// How a message is shown among its neighbours: joined to the one before, hidden in the card of its call, or
// the first of its day.
import type { ApiMessage } from '../../../../src/server/protocol.ts'
import type { FoundResult, Pairs } from '../parts/pairing.ts'
import { isShownWithCall, keyOfPart } from '../parts/pairing.ts'

export interface MessageView {
  message: ApiMessage
  /** All of it is shown in the card of its call. */
  isHidden: boolean
  /** The speaker is the same as above, so the name is not repeated. */
  isContinued: boolean
  isFirstOfDay: boolean
  /** By part number: the result of a call, and whether a result is shown with its call. */
  results: readonly (FoundResult | undefined)[]
  placed: readonly boolean[]
}

/** An unchanged view is the same object, so that it is not rendered again. */
export function viewMessages(
  loaded: readonly ApiMessage[],
  pairs: Pairs,
  before: ReadonlyMap<number, MessageView>,
): Map<number, MessageView> {
  const views = new Map<number, MessageView>()
  let above: ApiMessage | undefined
  let lastSeen: number | undefined
  for (const message of loaded) {
    // After a gap between loaded pages the message above is unknown.
    if (lastSeen !== undefined && message.index !== lastSeen + 1) above = undefined
    lastSeen = message.index
    const view = viewOf(message, pairs, above)
    const known = before.get(message.index)
    views.set(message.index, known !== undefined && isSame(known, view) ? known : view)
    if (!view.isHidden) above = message
  }
  return views
}

function viewOf(message: ApiMessage, pairs: Pairs, above: ApiMessage | undefined): MessageView {
  const keys = message.parts.map((_, part) => keyOfPart(message.index, part))
  const day = dayOf(message)
  const dayAbove = above === undefined ? undefined : dayOf(above)
  const isFirstOfDay = day !== undefined && (message.index === 0 || (dayAbove !== undefined && dayAbove !== day))
  return {
    message,
    isHidden: isShownWithCall(message, pairs),
    isContinued: !isFirstOfDay && above?.role === message.role && above.model === message.model,
    isFirstOfDay,
    results: keys.map(key => pairs.results.get(key)),
    placed: keys.map(key => pairs.placed.has(key)),
  }
}

function dayOf({ time }: ApiMessage): string | undefined {
  const date = new Date(time ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toDateString()
}

function isSame(one: MessageView, other: MessageView): boolean {
  return (
    one.message === other.message &&
    one.isHidden === other.isHidden &&
    one.isContinued === other.isContinued &&
    one.isFirstOfDay === other.isFirstOfDay &&
    one.results.every((result, at) => result?.part === other.results[at]?.part) &&
    one.placed.every((isPlaced, at) => isPlaced === other.placed[at])
  )
}
