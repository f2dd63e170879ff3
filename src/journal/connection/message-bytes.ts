// Keeps the original bytes of parsed values. A value that is only passed on keeps numbers beyond 2^53, key
// order and spelling.
import { fieldNames, skimFields } from '../../bytes/skim.ts'

const FIELDS = ['params', 'result', 'error'] as const
const NAMES = fieldNames(...FIELDS)
const SESSION_ID = fieldNames('sessionId')
const PROMPT = fieldNames('prompt')

interface Origin {
  line: Buffer
  field: (typeof FIELDS)[number]
}

const origins = new WeakMap<object, Origin>()
const edited = new WeakMap<object, Buffer>()

/** `line` must not change while the message is in use. */
export function rememberLine(message: object, line: Buffer): void {
  for (const field of FIELDS) {
    const value: unknown = Reflect.get(message, field)
    if (typeof value === 'object' && value !== null) origins.set(value, { line, field })
  }
}

/** The JSON of a value: its original bytes where known, otherwise stringified. */
export function jsonOf(value: unknown): Buffer {
  return bytesOf(value) ?? Buffer.from(JSON.stringify(value) ?? 'null')
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const known = edited.get(value)
  const origin = origins.get(value)
  if (known !== undefined || origin === undefined) return known
  const span = skimFields(origin.line, NAMES)?.[FIELDS.indexOf(origin.field)]
  return span === undefined ? undefined : origin.line.subarray(span.start, span.end)
}

/** The same value with another session id. Every other byte stays. */
export function withSessionId(value: unknown, sessionId: string): object {
  const changed = { ...Object(value), sessionId }
  return edit(value, changed, SESSION_ID, () => Buffer.from(JSON.stringify(sessionId)))
}

/** The same value with a block in front of the prompt. */
export function withFirstBlock(value: unknown, block: unknown): object {
  const prompt: unknown = Object(value).prompt
  const rest: unknown[] = Array.isArray(prompt) ? prompt : []
  const changed = { ...Object(value), prompt: [block, ...rest] }
  return edit(value, changed, PROMPT, old => {
    const open = old.indexOf('[') + 1
    const separator = rest.length === 0 ? '' : ','
    return Buffer.concat([old.subarray(0, open), Buffer.from(JSON.stringify(block) + separator), old.subarray(open)])
  })
}

function edit(
  value: unknown,
  changed: object,
  name: ReturnType<typeof fieldNames>,
  replace: (old: Buffer) => Buffer,
): object {
  const bytes = bytesOf(value)
  const span = bytes === undefined ? undefined : skimFields(bytes, name)?.[0]
  if (bytes === undefined || span === undefined) return changed
  const middle = replace(bytes.subarray(span.start, span.end))
  edited.set(changed, Buffer.concat([bytes.subarray(0, span.start), middle, bytes.subarray(span.end)]))
  return changed
}

/** One line of JSON-RPC, without its newline. */
export function encodeMessage(message: object): Buffer {
  const parts: Buffer[] = []
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined) continue
    parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), onOneLine(jsonOf(value)))
  }
  return Buffer.concat([...parts, Buffer.from('}')])
}

/** In valid JSON, a newline is only between tokens, never inside a string. */
function onOneLine(json: Buffer): Buffer {
  return json.includes(0x0a) ? Buffer.from(json.map(byte => (byte === 0x0a ? 0x20 : byte))) : json
}
