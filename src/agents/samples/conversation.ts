// A made-up conversation, independent of the agent: prompts, and messages of the model with thinking, text,
// calls and results.

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
  /** One message of the model, followed by the results of its calls. */
  | { type: 'step'; thinking: string | undefined; text: string | undefined; calls: Call[]; time: number }

export type Step = Extract<Turn, { type: 'step' }>

/**
 * The inputs of a call are named `command`, `pattern`, `path`, `before` and `after` here. Each agent has its
 * own names.
 */
export type ToolFieldNames = Readonly<Record<string, string>>

/** Random conversations use the names above: recorded test cases depend on every byte of them. */
export function inputOf({ turns }: SamplePlan, { input }: Call, names: ToolFieldNames): Record<string, string> {
  if (turns === undefined) return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names[name] ?? name, value]))
}

/**
 * Medians in characters, and the spread of the sizes. A few outputs have hundreds of kilobytes, as in real
 * sessions.
 */
const PROMPT = { median: 180, sigma: 1.1 }
const TEXT = { median: 450, sigma: 0.9 }
const THINKING = { median: 700, sigma: 0.9 }
const CODE = { median: 600, sigma: 1 }
const OUTPUT = { median: 1200, sigma: 1.4 }
/** The largest share of a session for a single text, so that a session has about its planned size. */
const MAX_SHARE = 0.2
const MIN_LIMIT = 500
const MAX_LIMIT = 400_000

/**
 * The given turns, or random ones until `isFull`. The last turn is a step: no session ends with an unanswered
 * prompt.
 */
export function* converse(plan: SamplePlan, isFull: () => boolean): Generator<Turn, void, void> {
  if (plan.turns !== undefined) return yield* plan.turns
  for (const turn of randomTurns(plan)) {
    yield turn
    if (turn.type === 'step' && isFull()) return
  }
}

function* randomTurns({ random, text, startedAt, bytes }: SamplePlan): Generator<Turn, never, void> {
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
