// What the agent's folder finds, less what is only not finished yet.
import type { RecordIndex } from '../../model/record-index.ts'
import { NONE } from '../../model/record-index.ts'
import { detectFound } from '../cures.ts'
import type { Detected, LogSubject } from '../damage.ts'

export function detect(subject: LogSubject): Detected[] {
  const unpaired = subject.mend.tools?.findUnpaired(subject) ?? []
  if (unpaired.length === 0) return []
  const runsFrom = subject.isLive ? startOfRunningTurn(subject) : Number.POSITIVE_INFINITY
  return unpaired.map(found => {
    const isRunning = found.kind === 'call-without-result' && found.start >= runsFrom
    const text = isRunning ? 'A tool call has no result yet: the agent may still be at work on it.' : found.text
    return detectFound('unpaired-tool', subject, { ...found, text }, isRunning ? 'updating' : 'survived')
  })
}

/** From here on there are only the lines of the last message, with its calls, and results of them: the others may still come. */
function startOfRunningTurn({ visible }: LogSubject): number {
  const { calls, results } = findTools(visible)
  let message = NONE
  let isBehindResult = false
  let start = Number.POSITIVE_INFINITY
  for (let record = visible.length - 1; record > NONE; record--) {
    if (visible.kind(record) !== 'talk') continue
    if (results.has(record)) isBehindResult = true
    else {
      if (message !== NONE && !isSameMessage(visible, record, message, isBehindResult)) break
      if (!calls.has(record) && visible.group(record) === undefined) break
      message = record
      isBehindResult = false
    }
    start = visible.start(record)
  }
  return start
}

/** Where lines do not say which message they belong to, calls that stand together are one. */
function isSameMessage(index: RecordIndex, record: number, later: number, isResultBetween: boolean): boolean {
  const group = index.group(record)
  return group === index.group(later) && (group !== undefined || !isResultBetween)
}

function findTools(index: RecordIndex): { calls: Set<number>; results: Set<number> } {
  const tools = { calls: new Set<number>(), results: new Set<number>() }
  for (const { record, isResult } of index.tools()) (isResult ? tools.results : tools.calls).add(record)
  return tools
}
