// The JSON of a row cannot be parsed. One such row makes the agent fail on the whole session.
import { makeRowDamage, pickRow, writeRow } from '../shared/rows.ts'

export const unreadableRow = makeRowDamage({
  id: 'unreadable-row',
  kind: 'unreadable',
  title: 'row that is not JSON',
  why: 'A row of the database is not valid JSON, for example after a crash. The agent cannot load the session because of it. A repair restores the row from the agent’s own history of changes, or removes it.',
  severity: 'lost',
  needsDeadWriter: false,
  inflict(target, random) {
    const row = pickRow(target, random)
    if (row === undefined) return undefined
    const length = random.below(row.text.length)
    const ways: [string, string | Uint8Array][] = [
      [`cut after ${length} characters`, row.text.slice(0, length)],
      ['emptied', ''],
      ['NUL from its middle on', row.text.slice(0, length) + '\0'.repeat(row.text.length - length)],
      ['stored as bytes', Buffer.from(row.text)],
    ]
    const [what, value] = ways[random.below(ways.length)] ?? ['emptied', '']
    writeRow(target, row, value)
    return { what: `${row.column} of ${row.table} ${row.id} ${what}`, destroyed: 1 }
  },
})
