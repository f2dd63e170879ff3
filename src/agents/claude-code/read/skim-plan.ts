// What the lines of one shape add to a summary, and when one of them has to be parsed.
import type { Field } from '../../../bytes/scanner/fields.ts'
import type { Role } from '../../../model/message.ts'
import { slotOf } from '../../stores/prove-lines.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import type { FactNotes } from './facts.ts'
import { modelOf } from './facts.ts'
import { isBookkeeping } from './messages.ts'
import { STORED, type TokenName } from './usage.ts'

const id: Field = { leaf: 'id' }
const word: Field = { leaf: 'word' }
const text: Field = { leaf: 'text' }
const number: Field = { leaf: 'number' }
const kind: Field = { fields: { type: word } }

export const FIELDS: Field = {
  fields: {
    type: word,
    uuid: id,
    parentUuid: id,
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
        usage: { fields: Object.fromEntries(STORED.map(([, stored]) => [stored, number])) },
        content: { elements: { fields: { type: word, content: { elements: kind } } } },
      },
    },
  },
}

/** Slots and kinds that decide whether a record continues the branch. */
export interface LineLinks {
  id: number | undefined
  /** Null for a record that says that it has none, undefined where it has no slot. */
  parent: number | null | undefined
  /** Whether it is part of the chain, or may be. */
  isLinked: boolean
  isProgress: boolean
  /** A call or the result of one. */
  isTool: boolean
  isResult: boolean
}

export interface LinePlan {
  links: LineLinks
  /** Every line of this shape has to be parsed: the rest says nothing. */
  isParsed: boolean
  /** That of its message; undefined where it has none. */
  role: Role | undefined
  /** Slots. */
  time: number | undefined
  group: number | undefined
  /** The slots of the figures of its usage; undefined where it has none. */
  usage: UsageSlots | undefined
  version: string | undefined
  model: string | undefined
  /** Bits of what it tells of the session. It has to be parsed if one of them is not known yet. */
  tells: number
}

export type UsageSlots = Partial<Record<TokenName, number>>

/** Shapes are few, and the same objects for all lines. */
const plans = new WeakMap<object, LinePlan>()

export function planOf(shape: Json): LinePlan {
  let plan = plans.get(shape)
  if (plan === undefined) {
    plan = makePlan(shape)
    plans.set(shape, plan)
  }
  return plan
}

/** Records with the title or the cost of the session. */
const TELLING: ReadonlySet<unknown> = new Set(['custom-title', 'ai-title', 'summary', 'cost-state'])

function makePlan(shape: Json): LinePlan {
  const { type, timestamp } = shape
  const message = asObject(shape['message'])
  const [time, group] = [slotOf(timestamp), slotOf(message?.['id'])]
  const role = roleOf(shape)
  const usage = type === 'assistant' ? (message?.['usage'] ?? undefined) : undefined
  const isSilent = role === undefined
  return {
    links: linksOf(shape),
    isParsed:
      (isSilent && (!isBookkeeping(type) || TELLING.has(type))) ||
      'costUSD' in shape ||
      // A text that is not in a slot is empty.
      (time === undefined && typeof timestamp === 'string') ||
      (usage !== undefined && asObject(usage) === undefined),
    role,
    time,
    group: type === 'assistant' ? group : undefined,
    usage: usage === undefined ? undefined : slotsOf(asObject(usage) ?? {}),
    version: asText(shape['version']),
    model: modelOf(shape),
    tells: tellsOf(shape, role),
  }
}

function linksOf(shape: Json): LineLinks {
  const { uuid, parentUuid, type } = shape
  const kinds = blocksOf(shape).map(block => asText(block?.['type']))
  return {
    id: slotOf(uuid),
    parent: parentUuid === null ? null : slotOf(parentUuid),
    isLinked: 'parentUuid' in shape || 'isSidechain' in shape,
    isProgress: type === 'progress',
    isTool: kinds.some(kind => kind?.startsWith('tool_')),
    isResult: kinds.includes('tool_result'),
  }
}

function slotsOf(usage: Json): UsageSlots {
  const slots: UsageSlots = {}
  for (const [name, stored] of STORED) {
    const slot = slotOf(usage[stored])
    if (slot !== undefined) slots[name] = slot
  }
  return slots
}

const [SESSION_ID, CWD, SLUG, FORKED_FROM, PROMPT, SIDE_PROMPT] = [1, 2, 4, 8, 16, 32]

function tellsOf(shape: Json, role: Role | undefined): number {
  const isPrompt = shape['type'] === 'user' && role !== 'system'
  return (
    (isSomeText(shape['sessionId']) ? SESSION_ID : 0) |
    (isSomeText(shape['cwd']) ? CWD : 0) |
    (isSomeText(shape['slug']) ? SLUG : 0) |
    (asObject(shape['forkedFrom']) === undefined ? 0 : FORKED_FROM) |
    (isPrompt ? (shape['isSidechain'] === true ? SIDE_PROMPT : PROMPT) : 0)
  )
}

/** The bits of what is known. */
export function knownBits({ sessionId, project, slug, forkedFrom, prompt, sidePrompt }: FactNotes): number {
  return (
    (sessionId === undefined ? 0 : SESSION_ID) |
    (project === undefined ? 0 : CWD) |
    (slug === undefined ? 0 : SLUG) |
    (forkedFrom === undefined ? 0 : FORKED_FROM) |
    (prompt === undefined ? 0 : PROMPT) |
    (sidePrompt === undefined ? 0 : SIDE_PROMPT)
  )
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
  const blocks = blocksOf(shape)
  if (!blocks.some(block => block?.['type'] === 'tool_result')) return 'user'
  const isPlain = blocks.every(
    block => OF_RESULTS.has(block?.['type']) && (asArray(block?.['content']) ?? []).every(isInResult),
  )
  return isPlain ? 'tool' : undefined
}

function blocksOf(shape: Json): (Json | undefined)[] {
  return (asArray(asObject(shape['message'])?.['content']) ?? []).map(block => asObject(block))
}

function isInResult(value: unknown): boolean {
  return IN_RESULTS.has(asObject(value)?.['type'])
}
