// A fix for damaged events that keeps as much as can be kept: what stands there by mistake goes, whole events that JP cannot load are left out, a cut end is closed.
import { CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET } from '../../../bytes/ascii.ts'
import type { Edit } from '../../../bytes/edits.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import type { Suggestion } from '../../sanitizer.ts'
import { classifyEvents } from '../classify/classify-events.ts'
import { scanJson } from '../classify/scan-json.ts'
import { checkForLoader, checkForValidator } from '../classify/shape-event.ts'
import { type ArrayItem, readArray } from '../event-file.ts'
import { applyEdits } from './json-spans.ts'
import { blank, findUntidy, type Untidy } from './tidy-json.ts'

interface Fix extends Edit {
  what: Untidy['what'] | 'open' | 'close' | 'separator' | 'event' | 'rest' | 'tail'
  index?: number
}

const NOTHING = Buffer.alloc(0)

/** Undefined where nothing would be left, or where it is beyond these means. */
export function suggestEvents(bytes: Buffer): Suggestion | undefined {
  const untidy = findUntidy(bytes)
  const tidy = blank(bytes, untidy)
  const start = skipSpaces(tidy, 0)
  const isOpen = tidy[start] === OPEN_BRACKET
  if (!isOpen && tidy[start] !== OPEN_BRACE) return undefined
  const items = isOpen ? itemsOf(tidy, 0) : itemsOf(Buffer.concat([Buffer.from('['), tidy]), 1)
  const good = items.map(item => item.type === 'element' && isLoadable(item.value, tidy.subarray(item.start, item.end)))
  if (!good.includes(true)) return undefined
  const fixes: Fix[] = isOpen ? [] : [{ start, end: start, bytes: Buffer.from('['), what: 'open' }]
  fixes.push(...fixGaps(tidy, items, good, isOpen ? start + 1 : start), ...fixEnd(tidy, items.at(-1)?.end ?? 0))
  const all = merge(fixes, untidy)
  if (all.length === 0) return undefined
  const fixed = applyEdits(bytes, all)
  if (classifyEvents([fixed]).condition.type !== 'healthy') return undefined
  const kept = good.filter(isGood => isGood).length
  const removals = all.flatMap(({ start: from, end }) => (from < end ? [{ start: from, end }] : []))
  const last = removals.at(-1)
  const removed =
    removals[0] === undefined || last === undefined ? undefined : { start: removals[0].start, end: last.end }
  return { text: describe(all, kept), bytes: fixed, removed, removals }
}

function itemsOf(bytes: Buffer, shift: number): ArrayItem[] {
  return [...readArray([bytes])].map(item => ({ ...item, start: item.start - shift, end: item.end - shift }))
}

function isLoadable(value: unknown, bytes: Buffer): boolean {
  if (checkForValidator(value).length > 0 || checkForLoader(value).length > 0) return false
  const { fault, soft } = scanJson(Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]))
  return fault === undefined && soft.length === 0
}

/** Events that are left out go with the comma before them, and between the others stands exactly one. */
function fixGaps(tidy: Buffer, items: readonly ArrayItem[], good: readonly boolean[], begin: number): Fix[] {
  const fixes: Fix[] = []
  let hasKept = false
  let border = begin
  for (const [index, item] of items.entries()) {
    const gap = tidy.toString('latin1', border, item.start).trim()
    if (!good[index]) {
      const next = items[index + 1]?.start ?? item.end
      const [start, end] = hasKept ? [border, item.end] : [item.start, next]
      fixes.push({ start, end, bytes: NOTHING, what: 'event', index })
      border = hasKept ? item.end : next
      continue
    }
    if (hasKept && gap !== ',')
      fixes.push({
        start: border,
        end: item.start,
        bytes: Buffer.from(`,${tidy.toString('latin1', border, item.start).replaceAll(/[^\s]/g, '') || '\n  '}`),
        what: 'separator',
      })
    else if (!hasKept && gap !== '') fixes.push({ start: border, end: item.start, bytes: NOTHING, what: 'separator' })
    hasKept = true
    border = item.end
  }
  return fixes
}

/** Behind the last event comes the closing bracket, and behind that nothing. */
function fixEnd(tidy: Buffer, border: number): Fix[] {
  const rest = tidy.toString('latin1', border)
  const closed = /^([\s,]*)\]/.exec(rest)
  if (closed === null) {
    const what = /^[\s,]*$/.test(rest) ? 'close' : 'tail'
    return [{ start: border, end: tidy.length, bytes: Buffer.from('\n]\n'), what }]
  }
  const bracket = border + closed[0].length - 1
  const fixes: Fix[] = []
  if (tidy[bracket] === CLOSE_BRACKET && (closed[1] ?? '').includes(','))
    fixes.push({ start: border, end: bracket, bytes: Buffer.from('\n'), what: 'comma' })
  if (rest.slice(closed[0].length).trim() !== '')
    fixes.push({ start: bracket + 1, end: tidy.length, bytes: Buffer.from('\n'), what: 'rest' })
  return fixes
}

/** What lies inside of a larger fix goes with it. */
function merge(fixes: readonly Fix[], untidy: readonly Untidy[]): Fix[] {
  const free = untidy.filter(({ start, end }) => !fixes.some(fix => fix.start <= start && end <= fix.end))
  return [...fixes, ...free.map(span => ({ ...span, bytes: NOTHING }))].sort((a, b) => a.start - b.start)
}

function describe(fixes: readonly Fix[], kept: number): string {
  const count = (what: Fix['what']): Fix[] => fixes.filter(fix => fix.what === what)
  const events = count('event').map(({ index }) => `[${index}]`)
  const tail = count('tail')[0]
  const parts = [
    count('mark').length > 0 ? 'remove the byte order mark' : '',
    count('nul').length > 0 ? 'remove the NUL bytes' : '',
    count('comment').length > 0 ? 'remove the comments' : '',
    count('comma').length > 0 ? 'remove the trailing comma' : '',
    count('separator').length > 0 ? 'put one comma between events' : '',
    count('open').length > 0 ? 'add the missing [ at the beginning' : '',
    count('rest').length > 0 ? 'remove what stands behind the end' : '',
    events.length > 0 ? `leave out ${listed(events)}` : '',
    count('close').length > 0 ? 'add the missing ] at the end' : '',
    tail === undefined
      ? ''
      : `keep the first ${kept} ${kept === 1 ? 'event' : 'events'} and cut the last ${tail.end - tail.start} bytes`,
  ]
  return parts.filter(part => part !== '').join(', ')
}

const LONGEST_LIST = 10

function listed(events: readonly string[]): string {
  const shown = events.slice(0, LONGEST_LIST).join(', ')
  const more = events.length - LONGEST_LIST
  return `${events.length === 1 ? 'event' : 'events'} ${shown}${more > 0 ? ` and ${more} more` : ''}`
}
