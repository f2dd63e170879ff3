// The overrides of the start as the first event, which is where JP reads them. Every other byte of the events stays as it is.
import { OPEN_BRACKET } from '../../../bytes/ascii.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import { asObject } from '../../stores/values.ts'
import { readArray } from '../event-file.ts'
import { timeOfId } from '../ids.ts'
import { formatTime } from '../times.ts'
import { applyEdits } from './json-spans.ts'

const INDENT = '  '

/** Undefined where these are no events. One that an earlier repair has put there is replaced: two of them would contradict each other. */
export function insertDelta(events: Buffer, id: string, delta: Record<string, unknown>): Buffer | undefined {
  const open = skipSpaces(events, 0)
  if (events[open] !== OPEN_BRACKET) return undefined
  const timestamp = formatTime(timeOfId(id))
  const event = JSON.stringify({ type: 'config_delta', timestamp, delta }, null, 2).replaceAll('\n', `\n${INDENT}`)
  const first = readArray([events]).next()
  if (first.done || first.value.type !== 'element')
    return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event}\n`) }])
  const { value, start, end } = first.value
  const there = asObject(value)
  if (there?.['type'] === 'config_delta' && there['timestamp'] === timestamp)
    return applyEdits(events, [{ start, end, bytes: Buffer.from(event) }])
  return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event},`) }])
}
