// session_index.jsonl: the names people gave to their threads, appended one after another. The last name of a
// thread counts.
import { isObject, parseJson } from '../../bytes/json.ts'
import { splitLines } from '../../bytes/lines.ts'
import { isBlank } from '../../bytes/text.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import type { Failure } from '../../model/errors.ts'
import { failureOf, hasErrorCode, RethreadError } from '../../model/errors.ts'
import { shorten } from '../stores/title.ts'
import { asText } from '../stores/values.ts'

export interface ThreadNames {
  names: Map<string, string>
  /** Why parts of the index could not be read. The sessions exist without it. */
  failure: Failure | undefined
}

/** Only the newest names are loaded if there are more. */
const MAX_NAMES = 100_000
const MAX_NAME_CHARACTERS = 200

export function readNames(agent: string, path: string, root: string): ThreadNames {
  const names = new Map<string, string>()
  try {
    const file = openFile(path, root)
    try {
      const unreadable = collectNames(file, names)
      return { names, failure: unreadable === 0 ? undefined : failureOf(agent, unreadableLines(path, unreadable)) }
    } finally {
      file.close()
    }
  } catch (error) {
    // Naming a thread is optional, so the index may not exist.
    return { names, failure: hasErrorCode(error, 'not-found') ? undefined : failureOf(agent, error, path) }
  }
}

/** Returns how many lines are not names. */
function collectNames(file: OpenFile, names: Map<string, string>): number {
  let unreadable = 0
  for (const line of splitLines(file.chunks())) {
    const entry = line.tooLong ? undefined : parseJson(line.bytes)
    if (isObject(entry)) addName(names, asText(entry['id']), asText(entry['thread_name']))
    // A last line without a newline is still being written.
    else if (line.terminated && (line.tooLong || !isBlank(line.bytes))) unreadable++
  }
  return unreadable
}

function addName(names: Map<string, string>, id: string | undefined, name: string | undefined): void {
  if (id === undefined) return
  names.delete(id)
  if (name !== undefined) names.set(id, shorten(name, MAX_NAME_CHARACTERS))
  const oldest = names.size > MAX_NAMES ? names.keys().next().value : undefined
  if (oldest !== undefined) names.delete(oldest)
}

function unreadableLines(path: string, lines: number): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${lines === 1 ? '1 line' : `${lines} lines`} of ${path} could not be read: the threads named there are listed without their names.`,
    hint: `See it: less ${quote(path)}`,
    path,
  })
}
