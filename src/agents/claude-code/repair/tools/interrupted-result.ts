// The record inserted for a call whose result was never written. It says that the outcome is unknown, and
// invents nothing.
import { createHash } from 'node:crypto'
import type { Span } from '../../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../../bytes/skim.ts'

export const INTERRUPTED_RESULT = 'The result of this call was never recorded: interrupted; outcome unknown.'

/** The fields that the agent writes into each record of a session, in its order. */
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

export interface Interrupted {
  /** The `envelopeOf` the record before it. */
  envelope: Buffer
  /** The `uuid` of the record before it, or of a result inserted before this one. */
  parent: string
  /** The id of the call as it is in the bytes, with its quotes. */
  callId: Buffer
  /** The `uuid` of the record with the call. */
  caller: string
  timestamp: string | undefined
}

/** Always the same for the same call, so that planning twice gives the same plan. */
export function uuidFor({ parent, callId }: Pick<Interrupted, 'parent' | 'callId'>): string {
  const hash = createHash('sha256').update(parent).update(callId).digest('hex')
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16)
  const hex = `${hash.slice(0, 12)}4${hash.slice(13, 16)}${variant}${hash.slice(17, 32)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The session fields of a record, to be repeated by the record after it. */
export function envelopeOf(bytes: Buffer): Buffer {
  const spans = skimFields(bytes, ENVELOPE_NAMES) ?? []
  return Buffer.concat(ENVELOPE.flatMap((name, index) => field(name, bytes, spans[index])))
}

function field(name: string, bytes: Buffer, span: Span | undefined): Buffer[] {
  return span === undefined ? [] : [Buffer.from(`"${name}":`), bytes.subarray(span.start, span.end), Buffer.from(',')]
}

/** One line, with its newline. */
export function interruptedResult(result: Interrupted): Buffer {
  const { envelope, parent, callId, caller, timestamp } = result
  const text = JSON.stringify(INTERRUPTED_RESULT)
  const time = timestamp === undefined ? '' : `"timestamp":${JSON.stringify(timestamp)},`
  return Buffer.concat([
    Buffer.from(`{"parentUuid":${JSON.stringify(parent)},`),
    envelope,
    Buffer.from('"type":"user","message":{"role":"user","content":[{"tool_use_id":'),
    callId,
    Buffer.from(`,"type":"tool_result","content":${text},"is_error":true}]},"uuid":"${uuidFor(result)}",${time}`),
    Buffer.from(`"toolUseResult":${text},"sourceToolAssistantUUID":${JSON.stringify(caller)}}\n`),
  ])
}
