// The rows of `session_message`, the table of newer versions. Each holds a whole
// message. It is turned into the form of the older tables. Fields that are not known
// stay in it, so that their text is shown and counted.

import { parseJson } from '../../../bytes/json.ts'
import type { Row } from '../../../disk/sqlite/read-database.ts'
import type { Part, RowPlace } from '../../../model/message.ts'
import { knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import { asArray, asObject, asOutput, asString, asText, type Json, present } from '../../stores/values.ts'
import type { StoredMessage, StoredNotice } from '../conversation.ts'
import { errorText, type StoredPart } from '../parts.ts'
import { asMillis } from '../session-info.ts'

export type NewerMessage = { type: 'message'; stored: StoredMessage } | { type: 'notice'; stored: StoredNotice }

/** `value` is the content of the row. */
export function fromNewerRow(row: Row, value: Json, at: RowPlace): NewerMessage {
  const base = {
    id: String(row['id']),
    at,
    createdAt: asMillis(asObject(value['time'])?.['created'] ?? row['time_created']),
  }
  const type = asText(row['type']) ?? asText(value['type'])
  const notice = (parts: Part[]): NewerMessage => ({ type: 'notice', stored: { ...base, parts } })
  const message = ({ fields, parts }: Content): NewerMessage => {
    const whole = { ...fields, time: value['time'] }
    return {
      type: 'message',
      stored: { ...base, value: whole, parts, updatedAt: asMillis(row['time_updated']), staysAtRevert: true },
    }
  }
  switch (type) {
    case 'user':
      return message(userContent(base.id, value))
    case 'synthetic':
      return message({ fields: { role: 'user' }, parts: [syntheticPart(base.id, value)] })
    case 'assistant':
      return message(assistantContent(base.id, value))
    case 'shell':
      return message({ fields: { role: 'user' }, parts: [shellPart(base.id, value)] })
    case 'system':
    case 'agent-switched':
    case 'model-switched':
    case 'compaction':
      return notice([...noticeParts(type, value), ...unfamiliarParts(value, NOTICES[type], type)])
    default:
      return notice([unknownPart(`session_message ${type ?? '(none)'}`, value)])
  }
}

/** A prompt that waits in `session_input`. */
export function fromWaitingInput(row: Row, value: Json, at: RowPlace): StoredNotice {
  const { text } = value
  const words: Part[] = asText(text) === undefined ? [] : [{ type: 'text', text: asOutput(text) }]
  const parts: Part[] = [
    { type: 'notice', text: 'This prompt waits: OpenCode has not given it to the model yet.' },
    ...words,
    ...unfamiliarParts(value, WAITING, 'session_input'),
  ]
  return { id: String(row['id']), at, createdAt: asMillis(row['time_created']), parts }
}

const WAITING = knownFields(['text'], 'files', 'agents')

interface Content {
  /** The fields of the message, as an older version would store them. */
  fields: Json
  parts: StoredPart[]
}

function userContent(id: string, { time: _, text, files, agents, ...rest }: Json): Content {
  const attached = asArray(files)
  const asked = asArray(agents)
  const said = {
    ...rest,
    ...present<Json>({
      text,
      files: attached === undefined ? files : undefined,
      agents: asked === undefined ? agents : undefined,
    }),
  }
  return {
    fields: { role: 'user' },
    parts: [
      ...(Object.keys(said).length === 0 ? [] : [{ id, value: { ...said, type: 'text' } }]),
      ...unknownLists(id, rest),
      ...(attached ?? []).flatMap(file => fileParts(id, file)),
      ...(asked ?? []).map(agent => agentPart(id, agent)),
    ],
  }
}

/** Files and agents are lists without prose: a list under another name may be one of them. */
function unknownLists(id: string, fields: Json): StoredPart[] {
  const lists = Object.entries(fields).filter(([, value]) => asArray(value) !== undefined)
  return lists.length === 0 ? [] : [{ id, value: { ...Object.fromEntries(lists), type: 'user' } }]
}

function agentPart(id: string, agent: unknown): StoredPart {
  const fields = asObject(agent)
  return { id, value: asText(fields?.['name']) === undefined ? { agent } : { ...fields, type: 'agent' } }
}

function syntheticPart(id: string, { time: _, ...rest }: Json): StoredPart {
  return { id, value: { ...rest, type: 'text', synthetic: true } }
}

/** A file as a part. Its description is text of its own. */
function fileParts(id: string, file: unknown): StoredPart[] {
  const fields = asObject(file)
  if (fields === undefined) return [{ id, value: { file } }]
  const { description } = fields
  const value: Json = { ...asFile(fields), type: 'file' }
  return [
    { id, value },
    ...(asText(description) === undefined ? [] : [{ id, value: { type: 'text', text: description, synthetic: true } }]),
  ]
}

function asFile({ uri, name, type: _, description: __, ...rest }: Json): Json {
  return { ...rest, ...present<Json>({ url: uri, filename: name }) }
}

function assistantContent(id: string, value: Json): Content {
  const {
    metadata: _,
    agent: __,
    model,
    content,
    snapshot: ___,
    finish: ____,
    time: _____,
    cost,
    tokens,
    error,
    ...rest
  } = value
  const items = asArray(content)
  const known = present<Json>({ modelID: asObject(model)?.['id'], cost, tokens, error })
  if (items === undefined)
    return { fields: { ...rest, ...present<Json>({ content }), role: 'assistant', ...known }, parts: [] }
  const others =
    unfamiliarParts(rest, BESIDE_CONTENT, 'assistant').length > 0 ? [{ id, value: { ...rest, type: 'assistant' } }] : []
  return {
    fields: { role: 'assistant', ...known },
    parts: [...items.flatMap((item, index) => itemParts(`${id}-${index}`, item)), ...others],
  }
}

const BESIDE_CONTENT = knownFields([], 'id', 'type', 'sessionID')

function itemParts(id: string, item: unknown): StoredPart[] {
  const value = asObject(item)
  if (value === undefined) return [{ id, value: { item } }]
  if (value['type'] === 'tool') return toolParts(id, value)
  const { providerMetadata: _, ...rest } = value
  return [{ id, value: rest }]
}

/** The call with its output. What is not known of the output follows as parts of its own. */
function toolParts(id: string, { id: callID, name, provider: _, state, ...rest }: Json): StoredPart[] {
  const fields = asObject(state)
  const call = { ...rest, ...present<Json>({ callID, tool: name }) }
  if (fields === undefined) return [{ id, value: { ...call, ...present<Json>({ state }) } }]
  const { content } = fields
  const items = asArray(content) ?? (content === undefined ? [] : [content])
  const unknown = items.filter(item => !isFile(item) && textOf(item) === undefined)
  return [
    { id, value: { ...call, state: toolState(fields, items) } },
    ...unknown.map(value => ({ id, value: { type: 'content', value } })),
  ]
}

/**
 * The output of a call is a list of texts and files. Where it is empty, the provider ran the tool and
 * `result` or `structured` holds the output.
 */
function toolState(state: Json, items: readonly unknown[]): Json {
  const { status, input, content: _, structured, result, error, attachments, outputPaths: __, ...rest } = state
  const texts = items.flatMap(item => textOf(item) ?? [])
  const files = [...items.filter(isFile), ...(asArray(attachments) ?? [])].map(file =>
    asFile(asObject(file) ?? { file }),
  )
  const other = result ?? (isEmptyObject(structured) ? undefined : structured)
  const output = texts.length > 0 ? texts.join('\n') : asOutput(other)
  const failure = [error === undefined ? '' : errorText(error), ...texts].filter(text => text !== '').join('\n')
  return {
    ...rest,
    ...present<Json>({ status, input: parsedInput(input) }),
    ...(status === 'error' ? { error: failure } : present<Json>({ output: asText(output), error })),
    ...(files.length === 0 ? {} : { attachments: files }),
  }
}

function textOf(item: unknown): string | undefined {
  const fields = asObject(item)
  return fields?.['type'] === 'text' ? asString(fields['text']) : undefined
}

function isFile(item: unknown): boolean {
  const fields = asObject(item)
  return fields?.['type'] === 'file' && ['uri', 'mime'].every(name => asText(fields[name]) !== undefined)
}

function isEmptyObject(value: unknown): boolean {
  return asObject(value) !== undefined && Object.keys(asObject(value) ?? {}).length === 0
}

/** The input of a call that the model is still writing is a text. */
function parsedInput(input: unknown): unknown {
  return typeof input === 'string' ? (asObject(parseJson(Buffer.from(input))) ?? input) : input
}

/** A command that the person ran. */
function shellPart(id: string, { time, callID, command, output, metadata: _, ...rest }: Json): StoredPart {
  const isDone = asObject(time)?.['completed'] !== undefined || asText(output) !== undefined
  const state = {
    ...rest,
    status: isDone ? 'completed' : 'running',
    ...(command === undefined ? {} : { input: { command } }),
    ...present<Json>({ output }),
  }
  return { id, value: { type: 'tool', callID: callID ?? id, tool: 'shell', state } }
}

const EVERY_NOTICE = ['id', 'type', 'sessionID', 'time', 'metadata'] as const
const NOTICES = {
  system: knownFields(['text'], ...EVERY_NOTICE),
  'agent-switched': knownFields(['agent'], ...EVERY_NOTICE),
  'model-switched': knownFields(['model'], ...EVERY_NOTICE),
  // `recent` repeats the last messages before it.
  compaction: knownFields(['summary'], ...EVERY_NOTICE, 'reason', 'recent'),
}

function noticeParts(type: keyof typeof NOTICES, value: Json): Part[] {
  switch (type) {
    case 'system':
      return asText(value['text']) === undefined ? [] : [{ type: 'notice', text: asOutput(value['text']) }]
    case 'agent-switched':
      return switched('agent', asText(value['agent']), value)
    case 'model-switched':
      return switched('model', asText(asObject(value['model'])?.['id']), value)
    case 'compaction':
      return [
        {
          type: 'notice',
          text: 'The conversation was compacted here: the agent continues from a summary of the messages above.',
        },
        ...(asText(value['summary']) === undefined
          ? []
          : [{ type: 'text' as const, text: asOutput(value['summary']) }]),
      ]
  }
}

function switched(what: string, name: string | undefined, value: Json): Part[] {
  if (name === undefined) return [unknownPart(`${what}-switched`, value)]
  return [{ type: 'notice', text: `The ${what} "${name}" continues from here.` }]
}
