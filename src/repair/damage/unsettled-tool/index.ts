// A tool call in a row is pending or running forever, because its process is dead.
import { isObject, parseObject } from '../../../bytes/json.ts'
import { makeRowDamage, pickRow, writeRow } from '../shared/rows.ts'

export const unsettledTool = makeRowDamage({
  id: 'unsettled-tool',
  kind: 'unsettled',
  title: 'unfinished tool call',
  why: 'The agent’s process ended while a tool was running, so the call has no result. Some versions cannot continue after such a call. A repair marks the call as interrupted.',
  severity: 'survived',
  needsDeadWriter: true,
  inflict(target, random) {
    const row = pickRow(target, random, text => stateOf(text) !== undefined)
    const value = parseObject(Buffer.from(row?.text ?? ''))
    const state = stateOf(row?.text ?? '')
    if (row === undefined || state === undefined) return undefined
    const start = isObject(state['time']) ? state['time']['start'] : 0
    const left =
      random.below(2) === 0
        ? { status: 'pending', input: {}, raw: '' }
        : { status: 'running', input: state['input'], time: { start } }
    writeRow(target, row, JSON.stringify({ ...value, state: left }))
    return { what: `call ${row.id} left ${left.status}`, destroyed: 1 }
  },
})

/** The state of a finished call. */
function stateOf(text: string): Record<string, unknown> | undefined {
  const state = parseObject(Buffer.from(text))?.['state']
  return isObject(state) && state['status'] === 'completed' ? state : undefined
}
