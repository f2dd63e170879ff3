// The unpaired tools that the agent's folder finds, without those that are not finished yet.
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE } from '../../records/record-index.ts'
import type { Detected, LogSubject } from '../damage.ts'
import { isInRun } from '../shared/repeats.ts'
import { RUNNING_CALL } from '../shared/running-call.ts'
import { detectedFrom } from '../shared/store-damage.ts'

export function detect(subject: LogSubject): Detected[] {
  // A result that was copied together with other records is handled with them.
  const unpaired = (subject.repair.tools?.findUnpaired(subject) ?? []).filter(
    ({ kind, start }) => kind !== 'duplicate-result' || !isInRun(subject, start),
  )
  if (unpaired.length === 0) return []
  const runsFrom = subject.isLive ? startOfRunningTurn(subject) : Number.POSITIVE_INFINITY
  return unpaired.map(found => {
    const isRunning = found.kind === 'call-without-result' && found.start >= runsFrom
    const text = isRunning ? RUNNING_CALL.text : found.text
    return detectedFrom('unpaired-tool', subject, { ...found, text }, isRunning ? 'updating' : 'survived')
  })
}

/**
 * From this record on, there are only the lines of the last message, with its calls, and results of them. The
 * missing results may still come.
 */
function startOfRunningTurn({ visible }: LogSubject): number {
  const tools = findTools(visible)
  const holds = (record: number, what: number): boolean => ((tools[record] ?? 0) & what) !== 0
  let message = NONE
  let isBehindResult = false
  let start = Number.POSITIVE_INFINITY
  for (let record = visible.length - 1; record > NONE; record--) {
    if (visible.kind(record) !== 'talk') continue
    if (holds(record, RESULTS)) isBehindResult = true
    else {
      if (message !== NONE && !isSameMessage(visible, record, message, isBehindResult)) break
      if (!holds(record, CALLS) && visible.group(record) === undefined) break
      message = record
      isBehindResult = false
    }
    start = visible.start(record)
  }
  return start
}

/** Where lines do not name their message, adjacent calls belong to one message. */
function isSameMessage(index: RecordIndex, record: number, later: number, isResultBetween: boolean): boolean {
  const group = index.group(record)
  return group === index.group(later) && (group !== undefined || !isResultBetween)
}

const CALLS = 1
const RESULTS = 2

/** For each record, whether it holds calls or results. */
function findTools(index: RecordIndex): Uint8Array {
  const tools = new Uint8Array(index.length)
  for (const { record, isResult } of index.tools()) tools[record] = (tools[record] ?? 0) | (isResult ? RESULTS : CALLS)
  return tools
}
