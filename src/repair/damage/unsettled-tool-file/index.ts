// A tool call is pending or running forever, because its process is dead. Many providers reject every later
// turn, since the call has no result.

import type { RawEdit } from '../../../agents/repair.ts'
import { isObject, parseObject } from '../../../bytes/json.ts'
import { paste } from '../../../model/paste.ts'
import type { TreeDamage } from '../damage.ts'
import { NOTHING_PLANNED, RUNNING_CALL } from '../damage.ts'
import { breakableFiles } from '../shared/trees.ts'

const DAMAGE = 'unsettled-tool-file'

export const unsettledToolFile: TreeDamage = {
  id: DAMAGE,
  title: 'unfinished tool call',
  why: 'The agent’s process ended while a tool was running, so the call has no result. Some versions cannot continue after such a call. A repair marks the call as interrupted.',
  framing: 'json-tree',
  appliesTo: (_, repair) => repair.findUnsettled !== undefined,
  detect({ files, repair, isLive, session }) {
    return (repair.findUnsettled?.(files) ?? []).map(({ file, text, edits, reason }) => {
      const at = { file, start: edits[0]?.start ?? 0, end: edits.at(-1)?.end ?? 0 }
      if (isLive) return { finding: { damage: DAMAGE, at, ...RUNNING_CALL } }
      const hint = `Repair it: ${paste('rethread repair', session.sessionId)}`
      const detail: Detail = { file, edits, reason }
      return { finding: { damage: DAMAGE, severity: 'survived', at, text, hint }, detail }
    })
  },
  plan(subject, detected) {
    if (subject.isLive) return NOTHING_PLANNED
    const changes = detected.map(({ detail }) => {
      const { file, edits, reason } = detail as Detail
      return { type: 'patch' as const, file, edits: edits.map(edit => ({ ...edit, damage: DAMAGE, reason })) }
    })
    return { changes, refused: [] }
  },
  inflict(target, random) {
    const calls = breakableFiles(target, 'part').filter(({ file }) => isCall(parse(target.read(file))))
    const call = calls[random.below(calls.length)]
    if (call === undefined) return undefined
    const value = parse(target.read(call.file))
    const { input = {}, time } = isObject(value['state']) ? value['state'] : {}
    const start = isObject(time) ? time['start'] : 0
    const state =
      random.below(2) === 0 ? { status: 'pending', input: {}, raw: '' } : { status: 'running', input, time: { start } }
    target.write(call.file, Buffer.from(JSON.stringify({ ...value, state }, null, 2)))
    return { what: `call ${call.id} left ${state.status}`, destroyed: 1 }
  },
}

interface Detail {
  file: string
  edits: RawEdit[]
  reason: string
}

function isCall(value: Record<string, unknown>): boolean {
  return value['type'] === 'tool' && isObject(value['state'])
}

/** A broken file holds no call. */
function parse(bytes: Buffer): Record<string, unknown> {
  return parseObject(bytes) ?? {}
}
