// Finds the user's editor and runs it.
import { setTimeout as sleep } from 'node:timers/promises'
import { splitWords } from '../../bytes/shell-words.ts'
import { findCommand, type Variables } from '../../disk/processes/find-command.ts'
import { locateProgram, startProgram } from '../../disk/processes/start-program.ts'
import { withTerminalDevice } from '../../disk/processes/terminal.ts'
import { pathValue, program, words, written } from '../../model/program.ts'
import { onInterrupt } from '../interrupt.ts'

export interface Editor {
  /** As the user wrote it. */
  name: string
  /** An absolute path. */
  command: string
  args: string[]
}

export interface FoundEditor {
  /** Undefined if none was found. */
  editor: Editor | undefined
  /** Why the editors that were tried first cannot be used. */
  notes: string[]
}

/** The usual variables. */
const VARIABLES = ['VISUAL', 'EDITOR']
const DEFAULTS = process.platform === 'win32' ? ['notepad'] : ['vi', 'nano']

/** `given` is the option of the command line; `own` are variables that come before the usual ones. */
export function findEditor(
  given: string | undefined,
  folder: string,
  variables: Variables,
  own: readonly string[] = [],
): FoundEditor {
  const notes: string[] = []
  const wanted = [
    { from: '--editor', line: given },
    ...[...own, ...VARIABLES].map(name => ({ from: `$${name}`, line: variables[name] })),
  ]
  for (const { from, line } of wanted) {
    if (line === undefined || line.trim() === '') continue
    const found = editorOf(line, folder, variables)
    if (typeof found !== 'string') return { editor: found, notes }
    notes.push(`${from} (${line}) cannot be used: ${found}`)
  }
  for (const name of DEFAULTS) {
    const found = editorOf(name, folder, variables)
    if (typeof found !== 'string') return { editor: found, notes }
  }
  return { editor: undefined, notes }
}

/** The editor, or why it cannot be used. */
function editorOf(line: string, folder: string, variables: Variables): Editor | string {
  const split = splitWords(line)
  if (split.type === 'unbalanced') return split.text
  const [command = '', ...args] = split.words
  const found = command === '' ? undefined : findCommand(command, folder, variables)
  return found === undefined ? `the program ${command} was not found.` : { name: line, command: found, args }
}

export type Edited =
  | { type: 'ended'; milliseconds: number }
  /** Nothing that it has written is used. */
  | { type: 'failed'; reason: string }

const LATE_SIGNAL_MS = 50

/** Gives the editor the terminal, without a shell in between. */
export async function runEditor({ name, command, args }: Editor, path: string): Promise<Edited> {
  const started = performance.now()
  // The terminal sends Ctrl-C to both processes. While the editor runs, only the editor handles it.
  const restoreInterrupt = onInterrupt(() => {})
  try {
    return await new Promise<Edited>(resolve => {
      const editor = locateProgram(program(command, words(written(args), pathValue(path))), '/', process.env)
      if (editor === undefined) return resolve({ type: 'failed', reason: `${name} no longer exists` })
      const child = withTerminalDevice(stdio => startProgram(editor, { stdio }))
      child.once('error', error =>
        resolve({ type: 'failed', reason: `${name} could not be started: ${error.message}` }),
      )
      child.once('exit', (status, signal) => {
        if (status === 0) resolve({ type: 'ended', milliseconds: performance.now() - started })
        else resolve({ type: 'failed', reason: `${name} ended with ${signal ?? `status ${status}`}` })
      })
    })
  } finally {
    // If Ctrl-C ended the editor, its exit may arrive before the signal.
    await sleep(LATE_SIGNAL_MS)
    restoreInterrupt()
  }
}
