// A database that changes while it is read in parts gives one state of it, or an error. The suite of all stores that read
// in parts is beside the printing.
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { putDatabase } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import { endReading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { PartPlan, TrueState } from '../parts.ts'
import { makeRowParts } from './part-rows.ts'

/** Two messages in each part. */
const parts = makeRowParts<number, number>({
  *cut(database) {
    const rows = Number(database.get('SELECT count(*) AS n FROM said')?.['n'])
    for (let at = 0; at < rows; at += 2) yield { known: at, messages: 2 }
  },
  *read(database, _, known): Generator<Message, number, void> {
    for (const row of database.each(`SELECT id, text FROM said ORDER BY rowid LIMIT 2 OFFSET ${known}`))
      yield {
        ...{ id: String(row['id']), role: 'user', time: null },
        ...{ parts: [{ type: 'text', text: String(row['text']) }], at: { file: database.path, table: 'said', row: 1 } },
      }
    return 2
  },
  end(_, __, read) {
    const records = read.reduce((sum, { collected }) => sum + collected, 0)
    const counts = { records, bookkeeping: 0, unknown: 0, skipped: 0 }
    const common = { facts: {}, counts, branches: [], continued: false }
    return endReading(common, new Findings(), { parsedUpTo: 0, recovered: true })
  },
})

function make(texts: [id: string, text: string][]) {
  const home = temporaryHome()
  const filePath = putDatabase(home, 'store.db', database => {
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE said (id TEXT, text TEXT)')
    for (const [id, text] of texts) database.prepare('INSERT INTO said VALUES (?, ?)').run(id, text)
  })
  const session = { filePath, storeRoot: home, sessionId: 'one' } as SessionRef
  return { session, path: filePath }
}

const TEXTS: [string, string][] = ['a', 'b', 'c', 'd', 'e', 'f'].map(id => [id, `old ${id}`])
const OLD = TEXTS.map(([, text]) => text)

function planOf(session: SessionRef): PartPlan {
  const plan = parts.plan(session)
  if (plan === undefined) throw new Error('The session is not read in parts.')
  onTestFinished(() => parts.close?.(plan))
  return plan
}

function run(session: SessionRef, plan: PartPlan, part: number, from?: TrueState) {
  const texts: string[] = []
  const reading = parts.read(session, plan, part, from)
  let step = reading.next()
  for (; !step.done; step = reading.next()) texts.push(JSON.stringify(step.value.parts).replace(/.*"(.*)".*/, '$1'))
  return { texts, end: step.value }
}

/** As if another thread had got it. */
function planOfOther(plan: PartPlan): PartPlan {
  const other = structuredClone(plan)
  onTestFinished(() => parts.close?.(other))
  return other
}

function write(path: string): DatabaseSync {
  const writer = new DatabaseSync(path)
  onTestFinished(() => void (writer.isOpen && writer.close()))
  return writer
}

const CHANGE = "UPDATE said SET text = 'new ' || id"

test('while another program writes, all parts give the state of the plan, and no late reader is believed', () => {
  const { session, path } = make(TEXTS)
  const writer = write(path)
  writer.exec("UPDATE said SET text = text || ''")
  const plan = planOf(session)
  const [early, late] = [planOfOther(plan), planOfOther(plan)]
  const joiner = parts.join(session, plan)
  const first = run(session, early, 0)
  expect(first.end && joiner.accepts(first.end)).toBe(true)
  writer.exec(CHANGE)
  // The thread that was believed once still has its snapshot. (In one process, both readers would be the same thread.)
  const second = run(session, early, 1)
  expect(second.texts).toEqual(OLD.slice(2, 4))
  expect(second.end && joiner.accepts(second.end)).toBe(true)
  const another = parts.join(session, plan)
  const tooLate = run(session, late, 0)
  expect(tooLate.texts).toEqual(['new a', 'new b'])
  expect(tooLate.end && another.accepts(tooLate.end)).toBe(false)
  const read = [0, 1, 2].map(part => run(session, plan, part, another.state()))
  expect(read.flatMap(({ texts }) => texts)).toEqual(OLD)
  for (const { end } of read) expect(end && another.add(end)).toBe(true)
  expect(another.end().counts.records).toBe(6)
})

test('a change of a database without a lock has it read in one before anything was given, and is an error after', () => {
  const { session, path } = make(TEXTS)
  const plan = planOf(session)
  const joiner = parts.join(session, plan)
  const ahead = run(session, plan, 1)
  const first = run(session, plan, 0, joiner.state())
  expect(first.texts).toEqual(OLD.slice(0, 2))
  expect(first.end && joiner.accepts(first.end) && joiner.add(first.end)).toBe(true)
  write(path).exec(CHANGE)
  expect(ahead.end && joiner.accepts(ahead.end)).toBe(false)
  expect(run(session, plan, 0, joiner.state())).toEqual({ texts: [], end: undefined })
  for (const step of [() => run(session, plan, 1, joiner.state()), () => joiner.end()])
    expect(step).toThrow(`${path} changed while it was printed`)
})

test('an id that was given before ends the reading in parts, in the same part and in another one', () => {
  const { session } = make([...TEXTS.slice(0, 3), ['a', 'again'], ['e', '1'], ['e', '2']])
  const plan = planOf(session)
  const joiner = parts.join(session, plan)
  const first = run(session, plan, 0)
  expect(first.end && joiner.accepts(first.end) && joiner.add(first.end)).toBe(true)
  const second = run(session, plan, 1)
  expect(second.end && joiner.accepts(second.end)).toBe(false)
  expect(run(session, plan, 1, joiner.state())).toEqual({ texts: ['old c'], end: undefined })
  expect(run(session, plan, 2)).toEqual({ texts: ['1'], end: undefined })
})

test('a locked database is not read in parts', () => {
  const { session, path } = make(TEXTS)
  const writer = write(path)
  writer.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  expect(parts.plan(session)).toBeUndefined()
})
