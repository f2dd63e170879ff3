// The text of the configuration file as JSON. What is wrong is told with the line it is in.
import { quote } from '../disk/files/system-errors.ts'
import { RethreadError } from '../model/errors.ts'

export function parseConfigText(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw brokenConfig(path, lineOfFault(text), `is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** `line` counts from 1; undefined where it cannot be told. */
export function brokenConfig(path: string, line: number | undefined, what: string): RethreadError {
  const at = line === undefined ? '' : ` (line ${line})`
  return new RethreadError({
    code: 'usage',
    text: `${path}${at} ${what}`,
    hint: `Correct it, or move it away: mv ${quote(path)} ${quote(`${path}.old`)}`,
    path,
  })
}

/** The line of the key that a list of keys leads to, as far as it is there. */
export function lineOfKey(text: string, keys: readonly PropertyKey[]): number {
  let at = 0
  for (const key of keys) {
    const found = typeof key === 'string' ? text.indexOf(JSON.stringify(key), at) : -1
    if (found !== -1) at = found
  }
  return lineAt(text, at)
}

/** The first line with which the text stops being the beginning of something valid. Not every message of the parser says where. */
function lineOfFault(text: string): number {
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1))
    if (!isBeginning(text.slice(0, end))) return lineAt(text, end)
  return lineAt(text, text.length)
}

function isBeginning(text: string): boolean {
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
