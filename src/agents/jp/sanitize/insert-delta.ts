// The overrides of the start as the first event, which is where JP reads them. Every other byte of the events stays as it is.
import { OPEN_BRACKET } from '../../../bytes/ascii.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import { asObject } from '../../stores/values.ts'
import { timeOfId } from '../ids.ts'
import { readArray } from '../store/event-file.ts'
import { formatTime } from '../times.ts'
import { applyEdits } from './json-spans.ts'

const INDENT = '  '

/** Undefined where these are no events, or nothing is to be said. One that an earlier repair has put there is replaced: two of them would contradict each other. */
export function insertDelta(events: Buffer, id: string, delta: Record<string, unknown>): Buffer | undefined {
  const open = skipSpaces(events, 0)
  if (events[open] !== OPEN_BRACKET) return undefined
  const timestamp = formatTime(timeOfId(id))
  const event = JSON.stringify({ type: 'config_delta', timestamp, delta }, null, 2).replaceAll('\n', `\n${INDENT}`)
  const first = readArray([events]).next()
  const there = first.done || first.value.type !== 'element' ? undefined : first.value
  const { type, timestamp: time } = asObject(there?.value) ?? {}
  if (there !== undefined && type === 'config_delta' && time === timestamp)
    return applyEdits(events, [{ start: there.start, end: there.end, bytes: Buffer.from(event) }])
  if (Object.keys(delta).length === 0) return undefined
  if (there === undefined)
    return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event}\n`) }])
  return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event},`) }])
}
