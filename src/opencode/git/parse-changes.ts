// What git prints about changes, taken apart. Pure.
import type { Change } from './changes.ts'

/** Of `--raw --numstat -z`: first what happened to each file, then how many lines. */
export function parseChanges(bytes: Buffer): Change[] {
  const fields = bytes.toString('utf8').split('\0')
  const statuses = new Map<string, Change['status']>()
  const changes: Change[] = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    const raw = /^:\S+ \S+ \S+ \S+ ([A-Z])\d*$/.exec(field)
    const counts = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(field)
    if (raw !== null) statuses.set(fields[++at] ?? '', statusOf(raw[1]))
    else if (counts !== null) {
      const [, added = '', removed = '', file = ''] = counts
      const status = statuses.get(file) ?? 'modified'
      changes.push({ file, additions: count(added), deletions: count(removed), status })
    }
  }
  return changes
}

/** One for each file, in the order of the files. No line inside of a patch can begin like that. */
export function splitPatches(bytes: Buffer): string[] {
  const text = bytes.toString('utf8')
  if (text === '') return []
  return text.split(/^(?=diff --git )/m)
}

/** Of bytes that are no text git counts nothing. */
function count(field: string): number {
  return field === '-' ? 0 : Number(field)
}

function statusOf(letter: string | undefined): Change['status'] {
  if (letter === 'A') return 'added'
  return letter === 'D' ? 'deleted' : 'modified'
}
