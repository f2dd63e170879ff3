// Converts messages of the wrong form into the form that the agent expects. Text stays. The vault keeps
// content that cannot be used.
import { parseObject } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { LogView, RawEdit, RepairableRecord, ShapeRepair } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'
import { findReached } from '../loader/index.ts'
import type { MessageShape } from '../loader/message-shape.ts'
import { isOdd, shapeOf, usableIn } from '../loader/message-shape.ts'
import type { LoaderRules } from '../loader/rules.ts'
import { rulesFor } from '../loader/rules.ts'
import { blocksIn, contentOf, cutElements, shift, textBlock } from './blocks.ts'
import { hasSuspects } from './content/index.ts'

export const shapes: ShapeRepair = { findWrong }

function findWrong(log: LogView): RepairableRecord[] {
  const { index, bytes } = log
  const wrong: RepairableRecord[] = []
  if (!hasSuspects(index)) return wrong
  const rules = rulesFor(log.installedVersion ?? index.version)
  for (const record of findReached(log)) {
    if (index.kind(record) !== 'talk' || !index.isSuspect(record)) continue
    const [start, end] = [index.start(record), index.end(record)]
    const own = bytes.range(start, end)
    const value = parseObject(own)
    if (value === undefined) continue
    const shape = shapeOf(value)
    if (!isWrong(shape, rules)) continue
    const edits = reshape(own, value).map(edit => shift(edit, start))
    const text = textOf(shape, value, rules)
    wrong.push({ start, end, text, repair: { edits, reason: 'Write its content in the form that the agent expects' } })
  }
  return wrong
}

function isWrong(shape: MessageShape, rules: LoaderRules): boolean {
  switch (shape) {
    case 'broken':
    case 'unsendable':
      return true
    case 'textless':
    case 'odd':
      return !rules.failsOnBrokenMessages
    case 'fine':
    case 'empty':
      return false
  }
}

function textOf(shape: MessageShape, record: Json, rules: LoaderRules): string {
  if (rules.failsOnBrokenMessages)
    return shape === 'unsendable'
      ? 'A block of this message is no object. The agent sends it, and the model may refuse the whole conversation.'
      : 'The content of this message is missing or has the wrong form, and the agent fails on it.'
  const usable = usableIn(record)
  if (usable.length === 0)
    return 'The content of this message is missing or has the wrong form, so the agent skips the message.'
  return typeof usable === 'string'
    ? 'The content of this message has the wrong form. This version of the agent loads it, older ones fail on it.'
    : 'A part of this message has the wrong form. This version of the agent skips that part, older ones may fail on it.'
}

/** Replaces a message of which nothing can be used. */
const UNREADABLE = '[The content of this message could not be read.]'
const OPEN_BRACE = 0x7b

/** Text stays text. Everything else goes to the vault, and a note replaces it. */
function reshape(own: Buffer, record: Json): RawEdit[] {
  const message = skimFields(own, fieldNames('message'))?.[0]
  const role = record['type']
  const whole = JSON.stringify({ role, content: [{ type: 'text', text: UNREADABLE }] })
  if (message === undefined) return [insertField(own, 0, `"message":${whole}`)]
  if (asObject(record['message']) === undefined) return [{ ...message, bytes: Buffer.from(whole) }]
  const content = contentOf(own)
  if (content === undefined) return [insertField(own, message.start, `"content":[${textBlock(UNREADABLE)}]`)]
  const value = asObject(record['message'])?.['content']
  const blocks = asArray(value)
  const unreadable = textBlock(UNREADABLE)
  if (blocks === undefined) return [{ ...content, bytes: Buffer.concat([OPEN, textIn(value) ?? unreadable, CLOSE]) }]
  const spans = blocksIn(own, content)
  const isOfUse = (block: unknown): boolean => !isOdd(block) || textIn(block) !== undefined
  const rewritten = blocks.flatMap((block, place) => {
    const [span, bytes] = [spans[place], textIn(block)]
    return isOdd(block) && span !== undefined && bytes !== undefined
      ? [{ start: span.start, end: span.end, bytes }]
      : []
  })
  return [...rewritten, ...cutElements(spans, place => !isOfUse(blocks[place]), unreadable)]
}

const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')

/** A block with the text of such a value. Undefined if it has none. */
function textIn(value: unknown): Buffer | undefined {
  const text = asString(value) ?? asString(asObject(value)?.['text']) ?? ''
  return text.trim() === '' ? undefined : textBlock(text)
}

/** Inserts the first field of the object that opens at or after `from`. */
function insertField(own: Buffer, from: number, field: string): RawEdit {
  const at = own.indexOf(OPEN_BRACE, from) + 1
  const isOnly = own.subarray(at).toString('latin1').trimStart().startsWith('}')
  return { start: at, end: at, bytes: Buffer.from(isOnly ? field : `${field},`) }
}
