// Whatever field of a stored session is renamed or removed: the text that was shown before is still shown, or
// the reading counts it, or it fails.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agents } from '../../src/agents/index.ts'
import { Random } from '../../src/agents/samples/random.ts'
import { makersOf, type SampleMaker } from '../../src/agents/samples/sample.ts'
import { makeText } from '../../src/agents/samples/text.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { RethreadError } from '../../src/model/errors.ts'
import type { Part } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { putDatabase } from '../support/database.ts'
import { inFull, isFull } from '../support/full.ts'
import { temporaryHome } from '../support/home.ts'
import { DATABASE } from '../support/opencode/made-sessions.ts'
import { insertNewer, NEWER_SCHEMA } from '../support/opencode/newer-sessions.ts'
import { agentNamed, readFrom } from '../support/reading.ts'
import { RECORDINGS, recordedHome } from '../support/recorded.ts'
import { fieldsOf, MARK, marked, renamed, stringsIn, textsIn, valueAt, without } from './edit-fields.ts'
import { type StoredJson, storedJson } from './stored-json.ts'

/** How many places are edited: of each kind, and of each home with text that is shown and beside such text. */
const ALL = Number.MAX_SAFE_INTEGER
const PLACES = inFull({ ofAKind: 6, withText: ALL, others: ALL }, { ofAKind: 1, withText: 10, others: 5 })

const makers = await makersOf(agents)

describe.each(RECORDINGS)('%s', name => {
  test('no text disappears uncounted when a field is renamed or removed', async () => {
    expect(await findLosses(recordedHome(name))).toEqual([])
  })
})

describe.each(makers.map(maker => [`${maker.agent} ${maker.store}`, maker] as const))('%s', (_name, maker) => {
  test('no text disappears uncounted when a field is renamed or removed', async () => {
    const home = temporaryHome()
    fill(home, maker)
    expect(await findLosses(home)).toEqual([])
  })
})

test('opencode, newer tables: no text disappears uncounted when a field is renamed or removed', async () => {
  const home = temporaryHome()
  putDatabase(home, DATABASE, database => {
    database.exec(NEWER_SCHEMA)
    insertNewer(database)
    // Sentences that the reader makes of a name go with it.
    database.exec("DELETE FROM session_message WHERE type LIKE '%-switched'")
    database.exec("UPDATE session_message SET data = json_remove(data, '$.agents')")
  })
  expect(await findLosses(home)).toEqual([])
})

function fill(home: string, maker: SampleMaker): void {
  const store = maker.open(home)
  const random = new Random(7)
  store.add({
    index: 0,
    random,
    text: makeText(random),
    bytes: 6000,
    isDamaged: false,
    project: '/home/dev/shop',
    startedAt: Date.UTC(2026, 10, 1),
  })
  store.close()
}

async function findLosses(home: string): Promise<string[]> {
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const { sessions, failures } = await findSessions(context)
  expect(failures).toEqual([])
  expect(sessions).not.toEqual([])
  const losses: string[] = []
  const edits = new Map<string, number>()
  const places = { ...PLACES }
  for (const session of sessions)
    for (const stored of storedJson(session)) losses.push(...(await lossesOf(session, stored, edits, places)))
  expect(places.withText, 'fields with text that were edited').toBeLessThan(PLACES.withText)
  return losses
}

/** `edits` counts the edits of each kind of field, `left` how many more are made. */
async function lossesOf(
  session: SessionRef,
  stored: StoredJson,
  edits: Map<string, number>,
  left: typeof PLACES,
): Promise<string[]> {
  const parsed: unknown = JSON.parse(stored.text)
  const fresh = fieldsOf(parsed).filter(({ kind }) => {
    edits.set(kind, (edits.get(kind) ?? 0) + 1)
    return (edits.get(kind) ?? 0) <= PLACES.ofAKind
  })
  if (fresh.length === 0 || left.withText + left.others === 0) return []
  const value = marked(parsed, (await readShown(session)).text)
  const fields = fresh.filter(({ path }) => {
    if (!isFull && textsIn(valueAt(value, path.slice(0, -1))).length === 0) return false
    const which = textsIn(valueAt(value, path)).length > 0 ? 'withText' : 'others'
    return left[which] > 0 && left[which]-- > 0
  })
  if (fields.length === 0) return []
  stored.write(JSON.stringify(value))
  const before = await readShown(session)
  const others = before.text.split('\0').filter(text => !text.includes(MARK))
  const losses: string[] = []
  for (const { path, kind } of fields)
    for (const [what, edit] of EDITS) {
      const edited = edit(value, path)
      stored.write(JSON.stringify(edited))
      const after = await readShown(session)
      if (after.counted > before.counted) continue
      const gone = what === 'removed' ? stringsIn(valueAt(value, path)).flatMap(decodings).join('\0') : ''
      const expected = [...textsIn(edited), ...others].filter(text => holds(before.text, text) && !holds(gone, text))
      const lost = expected.find(text => !holds(after.text, text) && !isShownElsewhere(text, before, after))
      if (lost !== undefined) losses.push(`${stored.name}: ${kind} ${what}: ${JSON.stringify(lost).slice(0, 60)}`)
    }
  stored.write(stored.text)
  return losses
}

const EDITS = [
  ['renamed', renamed],
  ['removed', without],
] as const

/** Some stores hold texts in base64. */
function decodings(text: string): string[] {
  return [text, Buffer.from(text, 'base64').toString('utf8')]
}

/** A second copy of the text, which is shown only if the first is not. */
function isShownElsewhere(text: string, before: Shown, after: Shown): boolean {
  const copy = text.slice(0, -MARK.length)
  return text.endsWith(MARK) && after.text.split(copy).length > before.text.replaceAll(text, '').split(copy).length
}

interface Shown {
  text: string
  /** What the reading reports beside the messages. A failure reports everything. */
  counted: number
}

async function readShown(session: SessionRef): Promise<Shown> {
  try {
    const { messages, end } = await collect(readFrom(agentNamed(session.agent), session))
    const { counts, findings, moreFindings, branches } = end
    const branched = branches.reduce((sum, branch) => sum + branch.messages, 0)
    return {
      text: messages.flatMap(({ parts }) => parts.flatMap(shownIn)).join('\0'),
      counted: counts.unknown + counts.skipped + findings.length + moreFindings + branched,
    }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { text: '', counted: Number.POSITIVE_INFINITY }
  }
}

function shownIn(part: Part): string[] {
  const { type: _, ...shown } = part
  return 'id' in shown ? stringsIn({ ...shown, id: '' }) : stringsIn(shown)
}

/** As it is, or inside a text that is itself JSON. */
function holds(all: string, text: string): boolean {
  return all.includes(text) || all.includes(JSON.stringify(text).slice(1, -1))
}
