// The record that is put in for a call whose result was never written. It says that nothing is known, and invents nothing.
import { createHash } from 'node:crypto'
import type { Span } from '../../bytes/json.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'

export const INTERRUPTED = 'The result of this call was never recorded: interrupted; outcome unknown.'

/** What the agent writes into each record of a session, in the order it does. */
const ENVELOPE = [
  'isSidechain',
  'userType',
  'entrypoint',
  'cwd',
  'sessionId',
  'version',
  'gitBranch',
  'slug',
  'agentId',
] as const
const ENVELOPE_NAMES = fieldNames(...ENVELOPE)
const UUID_LENGTH = 36

export interface Interrupted {
  /** The record in front of it. */
  before: Buffer
  /** Its `uuid`, or that of a result put in before this one. */
  parent: string
  /** The id of the call as it stands in the bytes, with its quotes. */
  callId: Buffer
  /** The `uuid` of the record with the call. */
  caller: string
  timestamp: string | undefined
}

/** The same for the same call each time, so that a plan which is made twice is one plan. */
export function uuidFor({ parent, callId }: Pick<Interrupted, 'parent' | 'callId'>): string {
  const hash = createHash('sha256').update(parent).update(callId).digest('hex')
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16)
  const hex = `${hash.slice(0, 12)}4${hash.slice(13, 16)}${variant}${hash.slice(17, 32)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').slice(0, UUID_LENGTH)
}

/** One line, without its newline. */
export function interruptedResult(result: Interrupted): Buffer {
  const { before, parent, callId, caller, timestamp } = result
  const spans = skimFields(before, ENVELOPE_NAMES) ?? []
  const text = JSON.stringify(INTERRUPTED)
  const block = [
    Buffer.from('{"tool_use_id":'),
    callId,
    Buffer.from(`,"type":"tool_result","content":${text},"is_error":true}`),
  ]
  return Buffer.concat([
    Buffer.from(`{"parentUuid":${JSON.stringify(parent)},`),
    ...ENVELOPE.flatMap((name, index) => field(name, before, spans[index])),
    Buffer.from('"type":"user","message":{"role":"user","content":['),
    ...block,
    Buffer.from(`]},"uuid":"${uuidFor(result)}",`),
    Buffer.from(timestamp === undefined ? '' : `"timestamp":${JSON.stringify(timestamp)},`),
    Buffer.from(`"toolUseResult":${text},"sourceToolAssistantUUID":${JSON.stringify(caller)}}`),
  ])
}

function field(name: string, bytes: Buffer, span: Span | undefined): Buffer[] {
  return span === undefined ? [] : [Buffer.from(`"${name}":`), bytes.subarray(span.start, span.end), Buffer.from(',')]
}
