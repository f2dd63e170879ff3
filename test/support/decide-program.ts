// Puts hand-made problems to a person at a terminal, and says as JSON what was decided.
import { writeFileSync } from 'node:fs'
import type { EventsProblem, FlagsProblem, Invalid } from '../../src/agents/sanitizer.ts'
import { listenForInterrupts } from '../../src/cli/interrupt.ts'
import { makeAsk } from '../../src/cli/sanitize/ask.ts'
import { makeInteractiveDecider, Stopped } from '../../src/cli/sanitize/decider.ts'
import { findEditor } from '../../src/cli/sanitize/editor.ts'
import { addReports } from '../../src/cli/sanitize/print-report.ts'

export interface DecideOrder {
  state: string
  /** The decisions go here. */
  result: string
  editor?: string
  events?: { conversation: string; text: string; suggestion?: string }[]
  flags?: { conversation: string; remembered?: string }[]
  trashMany?: [number, number]
}

const order = JSON.parse(process.argv[2] ?? '{}') as DecideOrder
const decisions: unknown[] = []
/** As if the caller had carried it out. */
const report = addReports([])
let isStopped = false
listenForInterrupts()
const decide = makeInteractiveDecider({
  ask: makeAsk(),
  editor: findEditor(order.editor, process.cwd(), process.env),
  state: order.state,
  onStop: () => {
    isStopped = true
  },
})
const events = (order.events ?? []).map(eventsProblem)
const flags = (order.flags ?? []).map(flagsProblem)
try {
  await decide.announce([...flags, ...events])
  for (const problem of flags) decisions.push(await decide.flags(problem))
  for (const problem of events) {
    const decision = await decide.events(problem)
    if (decision.type === 'replace') report.repaired.push({ ...problem, line: '' })
    decisions.push(decision.type === 'replace' ? { ...decision, bytes: decision.bytes.toString() } : decision)
  }
  if (order.trashMany !== undefined) decisions.push(await decide.mayTrashMany(...order.trashMany))
} catch (error) {
  if (!(error instanceof Stopped)) throw error
}
decide.end(report)
writeFileSync(order.result, JSON.stringify({ decisions, isStopped }))

function eventsProblem({
  conversation,
  text,
  suggestion,
}: {
  conversation: string
  text: string
  suggestion?: string
}): EventsProblem {
  const bytes = Buffer.from(text)
  const invalid = validate(bytes) ?? { text: 'missing', line: 1, column: 1 }
  return {
    ...{
      about: 'events',
      conversation,
      root: '/store',
      file: 'events.json',
      path: `/store/${conversation}/events.json`,
      bytes,
      elements: [],
      validate,
    },
    ...invalid,
    offset: Math.max(0, bytes.indexOf('!')),
    excerpt: '',
    ...(suggestion === undefined
      ? {}
      : { suggestion: { text: 'drop the mark', bytes: Buffer.from(suggestion), removed: undefined, removals: [] } }),
  }
}

/** Good is whatever has no exclamation mark in it. */
function validate(bytes: Buffer): Invalid | undefined {
  const at = bytes.indexOf('!')
  if (at === -1) return undefined
  const before = bytes.toString('latin1', 0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  return { text: `unexpected mark at line ${line} column ${column}`, line, column }
}

function flagsProblem({ conversation, remembered }: { conversation: string; remembered?: string }): FlagsProblem {
  return {
    ...{
      about: 'flags',
      conversation,
      root: '/other',
      file: 'init.json',
      path: `/other/${conversation}/init.json`,
      text: 'init.json: broken',
      remembered,
    },
    parse: line =>
      line.startsWith('-m')
        ? { type: 'delta', argv: line.split(' '), delta: { model: line.slice(2).trim() }, notes: ['a note'] }
        : { type: 'wrong', text: `unknown option ${line}` },
  }
}
