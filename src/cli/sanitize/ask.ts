// Asks the user at the terminal, one question at a time. Every question can be skipped or stopped.
import { isCancel, select, text, updateSettings } from '@clack/prompts'
import type { Terminal } from '../../disk/processes/terminal.ts'
import { openTerminal } from '../../disk/processes/terminal.ts'
import { wrapLine } from '../print/layout.ts'

export type Answer<T> =
  | { type: 'answer'; value: T }
  /** Ctrl-D, Escape, or the terminal is gone: this question is skipped. */
  | { type: 'skip' }
  /** Ctrl-C: the whole run stops. */
  | { type: 'stop' }

export interface Choice<T> {
  value: T
  label: string
  hint?: string
}

export interface Ask {
  /** The width of what `say` prints. */
  columns(): number
  /** Takes whole lines of clean text, and wraps them. */
  say(...lines: string[]): void
  choose<T extends string>(question: string, choices: readonly Choice<T>[], first?: T): Promise<Answer<T>>
  line(question: string, initial: string): Promise<Answer<string>>
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Narrower text is not readable. */
const LEAST_COLUMNS = 20
/** `wrapLine` never makes longer lines. */
const MOST_COLUMNS = 100

export function makeAsk(): Ask {
  updateSettings({ aliases: { [CTRL_D]: 'cancel' } })
  return {
    columns: () => withTerminal(({ output }) => widthOf(output)),
    say: (...lines) =>
      withTerminal(({ output }) => {
        const width = widthOf(output)
        output.write(`${lines.flatMap(line => wrapLine(line, width)).join('\n')}\n`)
      }),
    async choose(question, choices, first) {
      const options = choices.map(({ value, label, hint }) => ({ value: String(value), label, ...(hint && { hint }) }))
      const initial = first === undefined ? {} : { initialValue: String(first) }
      const answer = await ask(({ input, output }, signal) =>
        select({ message: question, options, ...initial, input, output, signal, showInstructions: false }),
      )
      if (answer.type !== 'answer') return answer
      const chosen = choices.find(({ value }) => value === answer.value)
      return chosen === undefined ? { type: 'skip' } : { type: 'answer', value: chosen.value }
    },
    line: (question, initial) =>
      ask(({ input, output }, signal) => text({ message: question, initialValue: initial, input, output, signal })),
  }
}

type Prompt = (terminal: Terminal, signal: AbortSignal) => Promise<string | symbol | undefined>

async function ask(prompt: Prompt): Promise<Answer<string>> {
  const terminal = openTerminal()
  const gone = new AbortController()
  let last = ''
  terminal.input.on('keypress', (_, key: { sequence?: string } | undefined) => {
    last = key?.sequence ?? ''
  })
  // A closed terminal sends no more keys, so the question would never be answered.
  terminal.input.once('end', () => gone.abort())
  terminal.input.once('error', () => gone.abort())
  try {
    const answer = await prompt(terminal, gone.signal)
    if (isCancel(answer)) return { type: last === CTRL_C ? 'stop' : 'skip' }
    return { type: 'answer', value: typeof answer === 'string' ? answer : '' }
  } finally {
    terminal.close()
  }
}

function withTerminal<T>(use: (terminal: Terminal) => T): T {
  const terminal = openTerminal()
  try {
    return use(terminal)
  } finally {
    terminal.close()
  }
}

function widthOf({ columns }: { columns: number }): number {
  return Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns - 1))
}
