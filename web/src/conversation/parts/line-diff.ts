// The line difference of two texts, for edits that contain the old and the new text.
export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'gap'
  text: string
}

/**
 * The comparison needs a table with the product of both lengths. Beyond this, all old lines come before all
 * new lines.
 */
const MAX_CELLS = 250_000
const CONTEXT = 3

export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const same = (lines: string[]) => lines.map(text => ({ kind: 'same', text }) satisfies DiffLine)
  return [
    ...same(old.slice(0, head)),
    ...diffMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

export function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function diffMiddle(old: string[], now: string[]): DiffLine[] {
  if (old.length * now.length > MAX_CELLS) return [...old.map(removed), ...now.map(added)]
  const lengths = commonLengths(old, now)
  const lines: DiffLine[] = []
  let at = 0
  let to = 0
  while (at < old.length && to < now.length) {
    const [one = '', other = ''] = [old[at], now[to]]
    if (one === other) {
      lines.push({ kind: 'same', text: one })
      at++
      to++
    } else if ((lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0)) {
      lines.push(removed(one))
      at++
    } else {
      lines.push(added(other))
      to++
    }
  }
  return [...lines, ...old.slice(at).map(removed), ...now.slice(to).map(added)]
}

/** The number of common lines from each pair of positions on. */
function commonLengths(old: string[], now: string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let at = old.length - 1; at >= 0; at--)
    for (let to = now.length - 1; to >= 0; to--) {
      const row = rows[at]
      const next = rows[at + 1]
      if (row === undefined || next === undefined) continue
      row[to] = old[at] === now[to] ? (next[to + 1] ?? 0) + 1 : Math.max(next[to] ?? 0, row[to + 1] ?? 0)
    }
  return rows
}

/** Keeps unchanged lines only near a change. */
export function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same')
      for (let near = at - CONTEXT; near <= at + CONTEXT; near++) if (near in isNear) isNear[near] = true
  const kept: DiffLine[] = []
  for (const [at, line] of lines.entries()) {
    if (isNear[at] === true || line.kind === 'gap') kept.push(line)
    else if (kept.at(-1)?.kind !== 'gap') kept.push({ kind: 'gap', text: '' })
  }
  return kept
}

export function removed(text: string): DiffLine {
  return { kind: 'removed', text }
}

export function added(text: string): DiffLine {
  return { kind: 'added', text }
}
