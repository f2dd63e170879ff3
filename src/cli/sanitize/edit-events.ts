// One round of editing: runs the editor on the copy and validates the result. The original is not touched
// here.
import type { EventsProblem, Invalid } from '../../agents/sanitizer.ts'
import type { EditCopy } from '../../disk/state/edit-copy.ts'
import { RethreadError } from '../../model/errors.ts'
import { cleanLine } from '../print/clean.ts'
import type { Ask } from './ask.ts'
import type { EditCopies } from './edit-copies.ts'
import type { Editor } from './editor.ts'
import { runEditor } from './editor.ts'
import type { Spot } from './excerpt.ts'
import { excerptOf } from './excerpt.ts'

/** An editor that returns sooner has opened a window and did not wait for it. */
const TOO_QUICK_MS = 1000
const NEWLINE = 0x0a

/** Undefined if the result cannot be used; the reason has been printed. */
export async function editOnce(
  problem: EventsProblem,
  copies: EditCopies,
  editor: Editor,
  ask: Ask,
): Promise<Buffer | undefined> {
  // A window that is still open from the last round may have removed the copy.
  if (readBack(copies.of(problem)) === undefined) ask.say(...copies.renew(problem))
  const copy = copies.of(problem)
  const before = copy.read()
  const edited = await runEditor(editor, copy.path)
  const bytes = readBack(copy)
  if (bytes === undefined)
    ask.say('', 'The editor left no readable file. The original is unchanged.', ...copies.renew(problem))
  if (edited.type === 'failed')
    ask.say('', `${cleanLine(edited.reason)}. Nothing was used, and the original is unchanged.`)
  if (bytes === undefined || edited.type === 'failed') return undefined
  const invalid = problem.validate(bytes)
  if (invalid === undefined) return bytes
  if (bytes.equals(before) && edited.milliseconds < TOO_QUICK_MS) copies.noteOpen(problem)
  ask.say('', ...describeRound(before, bytes, invalid, edited.milliseconds, ask.columns()))
  return undefined
}

/** Undefined if it is missing or not a file. */
function readBack(copy: EditCopy): Buffer | undefined {
  try {
    return copy.read()
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function describeRound(
  before: Buffer,
  bytes: Buffer,
  invalid: Invalid,
  milliseconds: number,
  columns: number,
): string[] {
  if (!bytes.equals(before))
    return [`Still not valid: ${cleanLine(invalid.text)}`, ...excerptOf(bytes, spotOf(bytes, invalid), columns)]
  if (milliseconds >= TOO_QUICK_MS) return ['Nothing was changed.']
  return [
    'Nothing was changed, and the editor returned at once.',
    'An editor that opens a window needs an option to wait: --editor "code --wait"',
  ]
}

/** The byte offset of a line and a column. */
function spotOf(bytes: Buffer, { line, column }: Invalid): Spot {
  let start = 0
  for (let passed = 1; passed < line; passed++) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1) break
    start = end + 1
  }
  return { offset: start + Math.max(0, column - 1) }
}
