// A document as a breaker sees it. For `inflict` alone.
import { readDocument } from '../bytes/document.ts'
import { outlineDocument } from '../bytes/outline.ts'
import type { InflictTarget, Random } from './damage.ts'

function outline(bytes: Buffer, { mend }: Pick<InflictTarget, 'mend'>) {
  const lists = mend.framing === 'json-document' ? mend.lists : []
  return outlineDocument({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) }, lists)
}

/** Behind the last element of the list; undefined where it has none. */
export function listEnd(bytes: Buffer, target: InflictTarget): number | undefined {
  const { list } = outline(bytes, target)
  return list === undefined || list.elements === 0 ? undefined : list.end
}

const HEAD_BYTES = 100

/** Where to cut a document so that it hurts: anywhere in the list, in the name of a field, behind a comma, or before anything is there. */
export function pickCut(
  bytes: Buffer,
  target: InflictTarget,
  random: Random,
): { at: number; where: string } | undefined {
  const begin = outline(bytes, target).list?.begin
  // The last bracket must go, white space behind it is not missed.
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

/** How many messages are not complete before `at`. */
export function cutOffMessages(bytes: Buffer, at: number, target: InflictTarget): number {
  return countMessages(bytes, target) - countMessages(bytes.subarray(0, at), target)
}

function countMessages(bytes: Buffer, target: InflictTarget): number {
  const { list } = outline(bytes, target)
  if (list === undefined || target.mend.framing !== 'json-document') return 0
  const count = target.mend.counter()
  let messages = 0
  for (const item of readDocument([bytes], { elements: list.name, fields: [] }))
    if (item.type === 'element') messages += count(item.value)
  return messages
}

/** Whether nothing is left to close a document behind. */
export function isHopeless(bytes: Buffer, target: InflictTarget): boolean {
  return (outline(bytes, target).list?.elements ?? 0) === 0
}
