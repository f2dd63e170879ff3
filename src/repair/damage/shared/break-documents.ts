// Parts of a document that `inflict` breaks. For `inflict` only.
import { readDocument } from '../../../bytes/document.ts'
import type { Span } from '../../../bytes/json.ts'
import { outlineDocument } from '../../../bytes/outline.ts'
import type { InflictTarget, Random } from '../damage.ts'

function outline(bytes: Buffer, { repair }: Pick<InflictTarget, 'repair'>) {
  const lists = repair.framing === 'json-document' ? repair.lists : []
  return outlineDocument({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) }, lists)
}

/** The offset after the last element of the list; undefined for an empty list. */
export function listEnd(bytes: Buffer, target: InflictTarget): number | undefined {
  const { list } = outline(bytes, target)
  return list === undefined || list.elements === 0 ? undefined : list.end
}

/** The offset after the opening bracket of a list with elements. */
export function listStart(bytes: Buffer, target: InflictTarget): number | undefined {
  const { list, isJson } = outline(bytes, target)
  return isJson && list !== undefined && list.elements > 0 ? list.begin : undefined
}

const HEAD_BYTES = 100

/**
 * Picks an offset at which a cut does damage: in the list, in a field name, after a comma, or before any
 * content.
 */
export function pickCut(
  bytes: Buffer,
  target: InflictTarget,
  random: Random,
): { at: number; where: string } | undefined {
  const begin = outline(bytes, target).list?.begin
  // The cut must remove the last bracket; white space after it does not matter.
  const last = bytes.lastIndexOf('}')
  if (begin === undefined || last <= begin) return undefined
  const anywhere = begin + random.below(last - begin + 1)
  const found = (mark: string, back: number) => Math.max(begin, bytes.lastIndexOf(mark, anywhere) + back)
  switch (random.below(8)) {
    case 0:
      return { at: 1 + random.below(Math.min(HEAD_BYTES, begin)), where: 'near the beginning' }
    case 1:
      return { at: found('":', -1), where: 'in the name of a field' }
    case 2:
      return { at: found(',', 1), where: 'behind a comma' }
    default:
      return { at: anywhere, where: 'in or behind the list' }
  }
}

/** The number of messages that are not complete before `at`. */
export function cutOffMessages(bytes: Buffer, at: number, target: InflictTarget): number {
  return countMessages(bytes, target) - countMessages(bytes.subarray(0, at), target)
}

/** Does not count the element that starts at `skipped`. */
function countMessages(bytes: Buffer, target: InflictTarget, skipped?: number): number {
  if (target.repair.framing !== 'json-document') return 0
  const count = target.repair.counter()
  let messages = 0
  for (const { start, value } of elementsOf(bytes, target)) if (start !== skipped) messages += count(value)
  return messages
}

interface Element extends Span {
  value: unknown
}

function elementsOf(bytes: Buffer, target: InflictTarget): Element[] {
  const { list } = outline(bytes, target)
  if (list === undefined) return []
  const items = [...readDocument([bytes], { elements: list.name, fields: [] })]
  return items.flatMap(item =>
    item.type === 'element' ? [{ start: item.start, end: item.end, value: item.value }] : [],
  )
}

/** Whether nothing is left that the document could be closed after. */
export function isBeyondClosing(bytes: Buffer, target: InflictTarget): boolean {
  return (outline(bytes, target).list?.elements ?? 0) === 0
}

const LEAST_WIPED_BYTES = 16

/** Overwrites a range in the middle of one message, where there are several. */
export function breakMessage(
  bytes: Buffer,
  target: InflictTarget,
  random: Random,
): { bytes: Buffer; what: string; destroyed: number } | undefined {
  const elements = elementsOf(bytes, target)
  const long = elements.filter(({ start, end }) => end - start > 2 * LEAST_WIPED_BYTES)
  const element = long[random.below(Math.max(1, long.length))]
  if (element === undefined || elements.length < 2 || !outline(bytes, target).isJson) return undefined
  const room = element.end - element.start - 2 - LEAST_WIPED_BYTES
  const start = element.start + 1 + random.below(room)
  const end = start + LEAST_WIPED_BYTES + random.below(element.end - 1 - LEAST_WIPED_BYTES - start + 1)
  const broken = Buffer.from(bytes)
  broken.fill(0, start, end)
  const destroyed = countMessages(bytes, target) - countMessages(bytes, target, element.start)
  return { bytes: broken, what: `${end - start} bytes of a message wiped out, from ${start} on`, destroyed }
}

/** Escapes in message texts, each with the raw byte or the lone backslash that it stands for. */
export function escapesOf(bytes: Buffer, target: InflictTarget): (Span & { raw: string })[] {
  return elementsOf(bytes, target).flatMap(element => {
    const text = bytes.subarray(element.start, element.end).toString('latin1')
    return [...text.matchAll(/\\(?:u[0-9a-fA-F]{4}|\\[^"\\/bfnrtu]|.)/g)].flatMap(match => {
      const raw = RAW[match[0]] ?? (/^\\\\[\w ]$/.test(match[0]) ? match[0].slice(1) : undefined)
      const start = element.start + match.index
      return raw === undefined ? [] : [{ start, end: start + match[0].length, raw }]
    })
  })
}

const RAW: Record<string, string | undefined> = { '\\n': '\n', '\\t': '\t', '\\r': '\r' }

/** A comma between two messages, or the bracket that ends a message or the list. */
export function pickMark(
  bytes: Buffer,
  target: InflictTarget,
  random: Random,
): { at: number; what: string } | undefined {
  const elements = elementsOf(bytes, target)
  const number = random.below(Math.max(1, elements.length - 1))
  const [element, next] = [elements[number], elements[number + 1]]
  if (element === undefined || next === undefined || !outline(bytes, target).isJson) return undefined
  switch (random.below(3)) {
    case 0:
      return { at: bytes.indexOf(',', element.end), what: `the comma behind message ${number + 1}` }
    case 1:
      return { at: element.end - 1, what: `the last bracket of message ${number + 1}` }
    default:
      return { at: bytes.indexOf(']', elements.at(-1)?.end), what: 'the bracket that ends the list' }
  }
}

/** The fields before the list, each from its name to the end of its value. */
export function fieldsOf(bytes: Buffer, target: InflictTarget): (Span & { name: string })[] {
  const { list, fields, isJson } = outline(bytes, target)
  if (list === undefined || !isJson) return []
  const items = [...readDocument([bytes], { elements: list.name, fields: [...fields] })]
  return items.flatMap(item => {
    if (item.type !== 'field' || item.end > list.begin) return []
    return [{ name: item.key, start: bytes.lastIndexOf(JSON.stringify(item.key), item.start), end: item.end }]
  })
}
