// A conversation as any agent holds it: prompts, and the messages of the model with thinking, text, calls and what the calls gave back.

import type { Random } from './random.ts'
import type { SamplePlan } from './sample.ts'
import type { TextSource } from './text.ts'

export interface Call {
  tool: Tool
  input: Record<string, string>
  output: string
  isError: boolean
}

export type Tool = 'shell' | 'read' | 'edit' | 'search'

export type Turn =
  | { type: 'prompt'; text: string; time: number }
  /** One message of the model; what its calls gave back follows it. */
  | { type: 'step'; thinking: string | undefined; text: string | undefined; calls: Call[]; time: number }

export type Step = Extract<Turn, { type: 'step' }>

/** What a call is given is called `command`, `pattern`, `path`, `before` and `after` here, and otherwise by each agent. */
export type FieldNames = Readonly<Record<string, string>>

/** Random conversations keep the names from here: recorded cases of tests depend on every byte of them. */
export function inputOf({ turns }: SamplePlan, { input }: Call, names: FieldNames): Record<string, string> {
  if (turns === undefined) return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names[name] ?? name, value]))
}

/** Medians in characters, and how far the sizes are spread. A few outputs are of hundreds of kilobytes, as in real sessions. */
const PROMPT = { median: 180, sigma: 1.1 }
const TEXT = { median: 450, sigma: 0.9 }
const THINKING = { median: 700, sigma: 0.9 }
const CODE = { median: 600, sigma: 1 }
const OUTPUT = { median: 1200, sigma: 1.4 }
/** No single text takes up more of its session than this, so that a session has about the size it was planned with. */
const MAX_SHARE = 0.2
const MIN_LIMIT = 500
const MAX_LIMIT = 400_000

/** The turns that are given, or random ones until `isFull` says that enough was written; the last is a step, for no session ends with a prompt that nobody answered. */
export function* converse(plan: SamplePlan, isFull: () => boolean): Generator<Turn, void, void> {
  if (plan.turns !== undefined) return yield* plan.turns
  for (const turn of goOn(plan)) {
    yield turn
    if (turn.type === 'step' && isFull()) return
  }
}

function* goOn({ random, text, startedAt, bytes }: SamplePlan): Generator<Turn, never, void> {
  let time = startedAt
  const limit = Math.min(MAX_LIMIT, Math.max(MIN_LIMIT, bytes * MAX_SHARE))
  const size = ({ median, sigma }: typeof PROMPT) => Math.min(limit, random.logNormal(median, sigma))
  const pass = (seconds: number) => {
    time += Math.round(random.logNormal(seconds * 1000, 0.8))
    return time
  }
  for (;;) {
    yield { type: 'prompt', text: text.prose(size(PROMPT)), time: pass(120) }
    for (let steps = random.below(8); steps > 0; steps--) {
      const calls = Array.from({ length: random.chance(0.2) ? random.between(2, 4) : 1 }, () =>
        makeCall(random, text, size),
      )
      const thinking = random.chance(0.4) ? text.prose(size(THINKING)) : undefined
      const words = random.chance(0.5) ? text.prose(size(TEXT)) : undefined
      yield { type: 'step', thinking, text: words, calls, time: pass(8) }
    }
    const thinking = random.chance(0.3) ? text.prose(size(THINKING)) : undefined
    yield { type: 'step', thinking, text: text.prose(size(TEXT)), calls: [], time: pass(12) }
  }
}

function makeCall(random: Random, text: TextSource, size: (of: typeof PROMPT) => number): Call {
  const tool = random.pick<Tool>(['shell', 'shell', 'read', 'edit', 'search'])
  const isError = random.chance(0.06)
  switch (tool) {
    case 'shell':
      return {
        tool,
        input: { command: `cd web && npm test -- ${text.path()}` },
        output: text.output(size(OUTPUT)),
        isError,
      }
    case 'read':
      return { tool, input: { path: text.path() }, output: text.code(size(OUTPUT)), isError }
    case 'search':
      return {
        tool,
        input: { pattern: text.prose(12), path: text.path() },
        output: text.output(size(OUTPUT) / 3),
        isError,
      }
    case 'edit': {
      const input = { path: text.path(), before: text.code(size(CODE)), after: text.code(size(CODE)) }
      return { tool, input, output: 'The file was updated.', isError }
    }
  }
}
