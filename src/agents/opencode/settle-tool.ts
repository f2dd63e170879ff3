// Settles a call that its process never finished: it becomes an error with an unknown outcome.
import type { Span } from '../../bytes/json.ts'
import { fieldNames, skimFields } from '../../bytes/skim.ts'
import type { ParsedTreeFile, RawEdit } from '../repair.ts'
import { asNumber, asObject, asOutput } from '../stores/values.ts'

export const INTERRUPTED_OUTPUT = 'Interrupted: OpenCode stopped before this call had a result. Its outcome is unknown.'
const STATE = fieldNames('state')
const INSIDE = fieldNames('status', 'time')

export interface Unsettled {
  file: string
  text: string
  edits: RawEdit[]
  reason: string
}

export function findUnsettled(files: readonly ParsedTreeFile[]): Unsettled[] {
  const created = new Map<string | undefined, number>()
  return files.flatMap(file => {
    // A message comes before its parts.
    if (file.role === 'message') created.set(file.id, asNumber(asObject(file.value?.['time'])?.['created']) ?? 0)
    return file.role === 'part' ? settle(file, created.get(file.of) ?? 0) : []
  })
}

function settle(part: ParsedTreeFile, messageCreated: number): Unsettled[] {
  const { value, file } = part
  const state = asObject(value?.['state'])
  const status = state?.['status']
  if (value?.['type'] !== 'tool' || state === undefined || (status !== 'pending' && status !== 'running')) return []
  const start = asNumber(asObject(state['time'])?.['start']) ?? messageCreated
  const edits = editState(part.bytes, start)
  if (edits === undefined) return []
  const tool = asOutput(value['tool'])
  return [
    {
      file,
      text: `A call of ${tool} is still ${status}, although no process is running it. Providers refuse a call without a result.`,
      edits,
      reason: `Mark the call of ${tool} as an error with unknown outcome`,
    },
  ]
}

/** Changes the status, the error, and the times. Everything else stays, such as the known input. */
export function editState(bytes: Buffer, start: number): RawEdit[] | undefined {
  const [state] = skimFields(bytes, STATE) ?? []
  if (state === undefined) return undefined
  const [status, time] = skimFields(bytes, INSIDE, state.start, state.end) ?? []
  if (status === undefined) return undefined
  const times = JSON.stringify({ start, end: start })
  const added = [`"error": ${JSON.stringify(INTERRUPTED_OUTPUT)}`, ...(time === undefined ? [`"time": ${times}`] : [])]
  const edits = [replace(status, `"error", ${added.join(', ')}`), ...(time === undefined ? [] : [replace(time, times)])]
  return edits.sort((a, b) => a.start - b.start)
}

function replace({ start, end }: Span, text: string): RawEdit {
  return { start, end, bytes: Buffer.from(text) }
}
