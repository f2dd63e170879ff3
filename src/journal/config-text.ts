// The text of the configuration file: parsed, and errors with the line.
// It needs no schema, which takes long to load.
import { quote } from '../disk/files/system-errors.ts'
import { RethreadError } from '../model/errors.ts'

export function parseConfigText(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw brokenConfig(path, lineOfFault(text), `is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** `line` counts from 1. Undefined where it is not known. */
export function brokenConfig(path: string, line: number | undefined, what: string): RethreadError {
  const at = line === undefined ? '' : ` (line ${line})`
  return new RethreadError({
    code: 'usage',
    text: `${path}${at} ${what}`,
    hint: `Correct it, or move it away: mv ${quote(path)} ${quote(`${path}.old`)}`,
    path,
  })
}

/** The line of the last key in the list that the text contains. */
export function lineOfKey(text: string, keys: readonly PropertyKey[]): number {
  let at = 0
  for (const key of keys) {
    const found = typeof key === 'string' ? text.indexOf(JSON.stringify(key), at) : -1
    if (found !== -1) at = found
  }
  return lineAt(text, at)
}

/** The first line where the text can no longer be valid JSON. Not every parser message has a position. */
function lineOfFault(text: string): number {
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1))
    if (!isValidPrefix(text.slice(0, end))) return lineAt(text, end)
  return lineAt(text, text.length)
}

function isValidPrefix(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    if (/unexpected end|unterminated/i.test(message)) return true
    const position = /position (\d+)/.exec(message)?.[1]
    return position !== undefined && Number(position) >= text.trimEnd().length
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
