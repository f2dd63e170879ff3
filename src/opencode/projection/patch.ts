// A patch between two texts with one hunk, from the first changed line to the last. Lines between scattered
// changes count as changed.

const CONTEXT_LINES = 3
/** Longer texts are not compared. The patch then only names the file. */
const MAX_PATCH_CHARS = 512 * 1024

export interface Patch {
  patch: string
  additions: number
  deletions: number
}

export interface TextChange {
  path: string
  oldText: string | null
  newText: string
}

export function makePatch({ path, oldText, newText }: TextChange): Patch {
  const name = path.replace(/^\/+/, '')
  const header = `--- ${oldText === null ? '/dev/null' : `a/${name}`}\n+++ b/${name}\n`
  if ((oldText ?? '').length + newText.length > MAX_PATCH_CHARS) return { patch: header, additions: 0, deletions: 0 }
  const [before, after] = [splitLines(oldText ?? ''), splitLines(newText)]
  const shared = Math.min(before.length, after.length)
  let top = 0
  while (top < shared && before[top] === after[top]) top++
  let bottom = 0
  while (bottom < shared - top && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom++
  const deletions = before.length - top - bottom
  const additions = after.length - top - bottom
  if (additions + deletions === 0) return { patch: header, additions, deletions }
  const first = Math.max(0, top - CONTEXT_LINES)
  const trailing = Math.min(bottom, CONTEXT_LINES)
  const lead = top - first
  const lines = [
    `@@ -${range(first, lead + deletions + trailing)} +${range(first, lead + additions + trailing)} @@\n`,
    ...before.slice(first, top).map(line => mark(' ', line)),
    ...before.slice(top, top + deletions).map(line => mark('-', line)),
    ...after.slice(top, top + additions).map(line => mark('+', line)),
    ...before.slice(top + deletions, top + deletions + trailing).map(line => mark(' ', line)),
  ]
  return { patch: header + lines.join(''), additions, deletions }
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return [...lines.map(line => `${line}\n`), ...(last === '' ? [] : [last])]
}

function range(first: number, count: number): string {
  return `${count === 0 ? first : first + 1},${count}`
}

function mark(sign: string, line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`
}
