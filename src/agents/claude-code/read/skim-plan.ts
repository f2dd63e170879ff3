// What the lines of one shape add to a summary, and when one of them has to be parsed.
import type { Field } from '../../../bytes/scanner/fields.ts'
import type { Role } from '../../../model/message.ts'
import { slotOf } from '../../stores/prove-lines.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import type { FactNotes } from './facts.ts'
import { modelOf } from './facts.ts'
import { isBookkeeping } from './messages.ts'

const id: Field = { leaf: 'id' }
const word: Field = { leaf: 'word' }
const text: Field = { leaf: 'text' }
const kind: Field = { fields: { type: word } }

export const FIELDS: Field = {
  fields: {
    type: word,
    uuid: id,
    timestamp: { leaf: 'time' },
    isSidechain: word,
    isMeta: word,
    isCompactSummary: word,
    sessionId: text,
    cwd: text,
    slug: text,
    version: word,
    forkedFrom: {},
    costUSD: {},
    message: {
      fields: {
        id,
        model: word,
        usage: {},
        content: { elements: { fields: { type: word, content: { elements: kind } } } },
      },
    },
  },
}

export interface LinePlan {
  /** That of its message; undefined where it has none. */
  role: Role | undefined
  /** Slots. */
  id: number | undefined
  time: number | undefined
  group: number | undefined
  hasUsage: boolean
  version: string | undefined
  model: string | undefined
  /** Whether it may tell something that is not known of the session yet. */
  isToldBy(notes: FactNotes): boolean
}

/** Shapes are few, and the same objects for all lines. */
const plans = new WeakMap<object, { plan: LinePlan | undefined }>()

/** Undefined where every line of this shape has to be parsed. */
export function planOf(shape: Json): LinePlan | undefined {
  const known = plans.get(shape) ?? { plan: makePlan(shape) }
  plans.set(shape, known)
  return known.plan
}

/** Records with the title or the cost of the session. */
const TELLING: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'summary', 'cost-state'])

function makePlan(shape: Json): LinePlan | undefined {
  const { type, uuid, timestamp } = shape
  const message = asObject(shape['message'])
  const [ownId, time, group] = [slotOf(uuid), slotOf(timestamp), slotOf(message?.['id'])]
  const role = roleOf(shape)
  const isSilent = role === undefined
  if (isSilent && (!isBookkeeping(type) || TELLING.has(type))) return undefined
  // A text that is not in a slot is empty.
  if ('costUSD' in shape || (time === undefined && typeof timestamp === 'string')) return undefined
  const usage = type === 'assistant' ? (message?.['usage'] ?? undefined) : undefined
  if (usage !== undefined && asObject(usage) === undefined) return undefined
  return {
    role,
    id: ownId,
    time,
    group: type === 'assistant' ? group : undefined,
    hasUsage: usage !== undefined,
    version: asText(shape['version']),
    model: modelOf(shape),
    isToldBy: makeTelling(shape, role),
  }
}

function makeTelling(shape: Json, role: Role | undefined): LinePlan['isToldBy'] {
  const [sessionId, cwd, slug] = ['sessionId', 'cwd', 'slug'].map(name => isSomeText(shape[name]))
  const forkedFrom = asObject(shape['forkedFrom']) !== undefined
  const isPrompt = shape['type'] === 'user' && role !== 'system'
  const isSide = shape['isSidechain'] === true
  return notes =>
    (sessionId === true && notes.sessionId === undefined) ||
    (cwd === true && notes.project === undefined) ||
    (slug === true && notes.slug === undefined) ||
    (forkedFrom && notes.forkedFrom === undefined) ||
    (isPrompt && (isSide ? notes.sidePrompt : notes.prompt) === undefined)
}

function isSomeText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Blocks beside which a record of results holds no words of a person, and blocks inside of results. */
const OF_RESULTS: ReadonlySet<unknown> = new Set(['tool_result', 'image', 'document'])
const IN_RESULTS: ReadonlySet<unknown> = new Set(['text', 'image', 'document'])

/** Undefined where the record makes no message, or has to be parsed. */
function roleOf(shape: Json): Role | undefined {
  if (shape['type'] === 'assistant') return 'assistant'
  if (shape['type'] !== 'user') return undefined
  if (shape['isMeta'] === true || shape['isCompactSummary'] === true) return 'system'
  const blocks = (asArray(asObject(shape['message'])?.['content']) ?? []).map(block => asObject(block))
  if (!blocks.some(block => block?.['type'] === 'tool_result')) return 'user'
  const isPlain = blocks.every(
    block => OF_RESULTS.has(block?.['type']) && (asArray(block?.['content']) ?? []).every(isInResult),
  )
  return isPlain ? 'tool' : undefined
}

function isInResult(value: unknown): boolean {
  return IN_RESULTS.has(asObject(value)?.['type'])
}
