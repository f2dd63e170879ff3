// The first pass over a file that is not plainly linear, by the kernel of the scanner: nothing is parsed.
import { crc32 } from 'node:zlib'
import type { Field } from '../../../bytes/scanner/fields.ts'
import { withoutBlanks } from '../../../bytes/text.ts'
import type { ReadOnceFile } from '../../../disk/files/read-once.ts'
import type { ProvedLine } from '../../stores/prove-lines.ts'
import { isWorthProving, proveLines, slotOf } from '../../stores/prove-lines.ts'
import { asObject, type Json } from '../../stores/values.ts'
import { holdsResult, Links } from './links.ts'
import { isTalk } from './messages.ts'

const id: Field = { leaf: 'id' }
const word: Field = { leaf: 'word' }
const FIELDS: Field = {
  fields: {
    type: word,
    uuid: id,
    parentUuid: id,
    logicalParentUuid: id,
    timestamp: { leaf: 'time' },
    isSidechain: word,
    message: { fields: { id } },
    attachment: { fields: { type: word } },
  },
}

/** An id or a time whose bytes are its text. */
const PLAIN = /^[!-[\]-~]+$/

/** As from `indexLinks`. Undefined where the kernel does not prove every line, or an id is not plain. */
export function proveLinks(file: ReadOnceFile): Links | undefined {
  if (!isWorthProving(file.identity.size)) return undefined
  const links = new Links()
  return proveLines(file, FIELDS, line => addLine(links, line)) ? links : undefined
}

function addLine(links: Links, line: ProvedLine): boolean {
  const { uuid, parent, logicalParent, time, group, isSidechain, isUser, isTalk } = planOf(line.shape)
  if (uuid === undefined) return true
  for (const slot of [uuid, parent, logicalParent, time, group])
    if (slot !== undefined && !PLAIN.test(line.text(slot))) return false
  const textOf = (slot: number | undefined): string | undefined => (slot === undefined ? undefined : line.text(slot))
  const bytes = line.bytes()
  links.add({
    start: line.start,
    uuid: line.text(uuid),
    parent: textOf(parent),
    logicalParent: textOf(logicalParent),
    sidechain: isSidechain,
    time: Date.parse(textOf(time) ?? ''),
    group: textOf(group),
    isResult: isUser && holdsResult(bytes),
    isTalk,
    checksum: crc32(withoutBlanks(bytes)),
  })
  return true
}

/** What all lines of one shape have in common, and the slots of the rest. */
interface LinkPlan {
  uuid: number | undefined
  parent: number | undefined
  logicalParent: number | undefined
  time: number | undefined
  group: number | undefined
  isSidechain: boolean
  isUser: boolean
  isTalk: boolean
}

/** Shapes are few, and the same objects for all lines. */
const plans = new WeakMap<object, LinkPlan>()

function planOf(shape: Json): LinkPlan {
  let plan = plans.get(shape)
  if (plan === undefined) {
    plan = {
      uuid: slotOf(shape['uuid']),
      parent: slotOf(shape['parentUuid']),
      logicalParent: slotOf(shape['logicalParentUuid']),
      time: slotOf(shape['timestamp']),
      group: shape['type'] === 'assistant' ? slotOf(asObject(shape['message'])?.['id']) : undefined,
      isSidechain: shape['isSidechain'] === true,
      isUser: shape['type'] === 'user',
      isTalk: isTalk(shape),
    }
    plans.set(shape, plan)
  }
  return plan
}
