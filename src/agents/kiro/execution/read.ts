// Reads an execution log as a session: the conversation before
// it, the prompt, then one answer for each action.
import { pace } from '../../../disk/files/pace.ts'
import { Findings } from '../../../model/finding.ts'
import type { FilePlace, Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { assertEmptyList, readDocumentFile } from '../../stores/json-document.ts'
import { titleFrom } from '../../stores/title.ts'
import { countUnknown, knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import { asArray, asObject, asText, type Json, present } from '../../stores/values.ts'
import { type Draft, timeFrom } from '../blocks.ts'
import { ACTIONS, actionParts } from '../ide/executions.ts'
import { interpretEntry } from '../ide/messages.ts'

const STRUCTURE = {
  ...ACTIONS,
  fields: [
    ...['executionId', 'status', 'chatSessionId', 'startTime', 'endTime', 'workspaceContext', 'context', 'input'],
    ...['workflowType', 'modelId'],
  ],
}

export function read(session: SessionRef): Reading {
  return pace(readExecution(session))
}

interface Field {
  value: unknown
  at: FilePlace
}

function* readExecution(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const { filePath, storeRoot } = session
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  // The prompt can follow the actions, and an action can be repeated in a later state: both are found first.
  const fields = new Map<string, Field>()
  const lastStates = new Map<string, number>()
  for (const part of readDocumentFile(filePath, storeRoot, STRUCTURE, new Findings()))
    if (part.type === 'field') fields.set(part.key, part)
    else lastStates.set(idOf(part), part.at.start)
  let title: string | undefined
  for (const { id, at, draft } of saidBefore(fields)) {
    counts.records++
    countUnknown(counts, draft.parts)
    const words = draft.role === 'user' ? draft.parts.find(part => part.type === 'text') : undefined
    if (words !== undefined) title = titleFrom(words.text) ?? title
    yield { id, ...draft, at }
  }
  const findings = new Findings()
  const parts = readDocumentFile(filePath, storeRoot, STRUCTURE, findings)
  let step = parts.next()
  for (; !step.done; step = parts.next()) {
    if (step.value.type === 'field') continue
    const { value, at } = step.value
    counts.records++
    const id = idOf(step.value)
    const shown = lastStates.get(id) === at.start ? actionParts(value, id) : []
    countUnknown(counts, shown)
    if (shown.length === 0) counts.bookkeeping++
    else yield { id, role: 'assistant', time: timeFrom(asObject(value)?.['emittedAt']), parts: shown, at }
  }
  const { complete, fileSize, parsedUpTo, cause } = step.value
  if (complete && counts.records === 0) assertEmptyList(filePath, storeRoot, STRUCTURE.lists, fileSize)
  counts.skipped = findings.lost
  const common = { facts: factsOf(session, fields, title), counts, branches: [], continued: false }
  return endReading(common, findings, { parsedUpTo, recovered: counts.records > 0 }, cause)
}

function idOf({ value, at }: Field): string {
  return asText(asObject(value)?.['actionId']) ?? `@${at.start}`
}

function factsOf(session: SessionRef, fields: Map<string, Field>, title: string | undefined): SessionFacts {
  const field = (name: string): unknown => fields.get(name)?.value
  return present<SessionFacts>({
    sessionId: asText(field('executionId')) ?? session.sessionId,
    title: title ?? session.title,
    project: session.project ?? asText(asObject(field('workspaceContext'))?.['cwd']),
    startedAt: timeFrom(field('startTime')) ?? undefined,
    updatedAt: timeFrom(field('endTime')) ?? undefined,
    model: asText(field('modelId')),
  })
}

interface Said {
  id: string
  at: FilePlace
  draft: Draft
}

/**
 * `context.messages` is the conversation before. Of `input.data.messages`, the last one is the new prompt.
 */
function saidBefore(fields: Map<string, Field>): Said[] {
  const time = timeFrom(fields.get('startTime')?.value)
  return ['context', 'input'].flatMap(name => {
    const field = fields.get(name)
    if (field === undefined) return []
    const hasBefore = fields.has('context')
    const drafts = name === 'context' ? fromContext(field.value) : fromInput(field.value, hasBefore, time)
    return drafts.map((draft, index) => ({ id: `${name}.${index}`, at: field.at, draft }))
  })
}

const CONTEXT = knownFields(['messages'])
const DATA = knownFields([['messages', 'userPrompt']])

function fromContext(value: unknown): Draft[] {
  const context = asObject(value)
  return [...draftsOf(context?.['messages']), ...unknownDraft(context, CONTEXT, 'context')]
}

function fromInput(value: unknown, hasBefore: boolean, time: string | null): Draft[] {
  const data = asObject(asObject(value)?.['data'])
  if (data === undefined)
    return value === undefined || value === null ? [] : [{ role: 'system', parts: [unknownPart('input', value)], time }]
  const unknown = unknownDraft(data, DATA, 'input')
  const prompt = asText(data['userPrompt'])
  if (prompt !== undefined) return [{ role: 'user', parts: [{ type: 'text', text: prompt }], time }, ...unknown]
  const messages = asArray(data['messages']) ?? []
  return [...draftsOf(hasBefore ? messages.slice(-1) : messages), ...unknown]
}

function draftsOf(messages: unknown): Draft[] {
  return (asArray(messages) ?? []).flatMap(message => {
    const interpreted = interpretEntry(message)
    return interpreted.type === 'bookkeeping' ? [] : interpreted.drafts
  })
}

function unknownDraft(value: Json | undefined, known: typeof CONTEXT, name: string): Draft[] {
  const parts = unfamiliarParts(value, known, name)
  return parts.length === 0 ? [] : [{ role: 'system', parts, time: null }]
}
