// Small rules that keep files readable and lines whole.
import type { Parsed } from './source.ts'

export const MAX_LINES = 400

export function checkHabits(file: Parsed): string[] {
  const found: string[] = []
  if (file.lines > MAX_LINES) found.push(`${file.path}: has ${file.lines} lines; ${MAX_LINES} are the limit`)
  for (const line of file.anyAt) found.push(`${file.path}:${line}: uses the type any`)
  // It splits at U+2028 and at a lone CR, and a record may hold either.
  for (const { from, line } of file.imports)
    if (/^(node:)?readline(\/|$)/.test(from))
      found.push(`${file.path}:${line}: reads lines with ${from}; use src/bytes/lines.ts`)
  return found
}
