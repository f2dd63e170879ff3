// Each file in each state, in each mode: what becomes of the conversation, and that no byte of it is gone.
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { inFull } from '../../../../test/support/full.ts'
import { STATES, type StateName } from '../../../../test/support/jp/damage-states.ts'
import { linesOf, person, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import type { SanitizeReport } from '../../sanitizer.ts'
import type { ManagedFile } from '../names.ts'

type Bucket = Exclude<keyof SanitizeReport, 'isInterrupted' | 'conversations'>
type Outcome = 'none' | Bucket
/** With a check; without a user; with a user who leaves everything unchanged. */
type Row = [check: Outcome, silent: Outcome, asked: Outcome | `asked ${Outcome}`]

const BLOCKED: Row = ['blocked', 'blocked', 'blocked']
const NONE: Row = ['none', 'none', 'none']
const NOTICED: Row = ['noticed', 'noticed', 'noticed']

function rows(trashedByJp: Row, passedByJp: Row): Record<StateName, Row> {
  return {
    missing: trashedByJp,
    'no bytes': trashedByJp,
    'white space': trashedByJp,
    'a comma too many': trashedByJp,
    'a comment': trashedByJp,
    'a byte order mark': trashedByJp,
    'NULs behind it': trashedByJp,
    'garbage behind it': trashedByJp,
    garbage: trashedByJp,
    cut: trashedByJp,
    null: passedByJp,
    'a text': passedByJp,
    'bytes that are no characters': passedByJp,
    'half a character': passedByJp,
    'nesting beyond all measure': passedByJp,
    'a number beyond all numbers': passedByJp,
    'no permission': BLOCKED,
    'a failing disk': BLOCKED,
    'no descriptor left': BLOCKED,
    'a directory': trashedByJp,
    'a pipe': BLOCKED,
    'a link to a good file': NOTICED,
    'a link to a bad file': trashedByJp,
    'a link to nothing': trashedByJp,
    'a link to itself': BLOCKED,
    'a link out of the storage': NOTICED,
    'a link out of the storage to a bad file': ['left', passedByJp[1], passedByJp[2]],
    'more than we read': BLOCKED,
  }
}

const REPAIRED = ['repaired', 'repaired'] as const
const DEGRADED = ['degraded', 'asked degraded'] as const
const EVENTS = rows(['left', 'trashed', 'asked left'], ['lockedOut', 'lockedOut', 'asked left'])

const TABLE: Record<ManagedFile, Record<StateName, Row>> = {
  'metadata.json': {
    ...rows(['left', ...REPAIRED], ['lockedOut', ...REPAIRED]),
    // JP skips the values of members that it does not know.
    'bytes that are no characters': NONE,
    'half a character': NONE,
    'nesting beyond all measure': NONE,
    'a number beyond all numbers': NONE,
  },
  'base_config.json': {
    ...rows(['left', ...REPAIRED], ['lockedOut', ...REPAIRED]),
    missing: ['lockedOut', ...REPAIRED],
    'a directory': ['lockedOut', ...REPAIRED],
    'a link to nothing': ['lockedOut', ...REPAIRED],
  },
  'init_config.json': { ...rows(['left', ...DEGRADED], ['left', ...DEGRADED]), missing: NONE },
  'events.json': {
    ...EVENTS,
    null: EVENTS.missing,
    'a text': EVENTS.missing,
    'a directory': ['left', 'blocked', 'asked left'],
    'a link out of the storage to a bad file': BLOCKED,
  },
}

function outcomeOf(report: SanitizeReport): string {
  const { isInterrupted: _, conversations: __, ...buckets } = report
  const filled = Object.entries(buckets).flatMap(([name, entries]) => (entries.length > 0 ? [name] : []))
  return filled.length === 0 ? 'none' : filled.join(' and ')
}

async function outcome(state: StateName, file: ManagedFile, mode: number): Promise<string> {
  const home = quickHome()
  const path = join(putOne(home, { 'init_config.json': { delta: {} } }), file)
  STATES[state](path, home)
  const before = treeOf(home)
  let asked = ''
  const answer = <T>(given: T) => {
    asked = 'asked '
    return given
  }
  const decide = person(
    () => answer({ type: 'leave' }),
    () => answer({ type: 'skip' }),
  )
  const report = await run(home, mode === 0 ? { mode: 'check' } : mode === 2 ? { decide } : {})
  const after = treeOf(home)
  const kept = new Set(after.values())
  const lost = [...before].flatMap(([name, content]) => (kept.has(content) ? [] : [name]))
  expect(lost).toEqual([])
  if (mode === 0) expect(after).toEqual(before)
  if (state.startsWith('a link out of the storage'))
    expect(after.get('elsewhere.json')).toBe(before.get('elsewhere.json'))
  for (const { quarantine } of report.repaired)
    if (quarantine !== undefined && state.startsWith('a link')) expect(readlinkSync(quarantine)).not.toBe('')
  const outcome = `${asked}${outcomeOf(report)}`
  if (/^(asked )?(repaired|degraded|trashed)$/.test(outcome))
    expect(linesOf(await run(home, { mode: 'check' })), 'again').toEqual([])
  return outcome
}

const MODES = ['a check says', 'alone', 'with a person'] as const

/** Each pair in `npm run test:full`; else each state with one file at least, and each file with every third state. */
const STEP = inFull(1, 3)

for (const [fileNumber, [file, states]] of (Object.entries(TABLE) as [ManagedFile, Record<StateName, Row>][]).entries())
  describe(file, () => {
    const all = Object.entries(states) as [StateName, Row][]
    for (const [state, row] of all.filter((_, number) => (fileNumber + number) % STEP === 0))
      test(`${state}: ${row.map((wanted, mode) => `${MODES[mode]} ${wanted}`).join(', ')}`, async () => {
        const found = [await outcome(state, file, 0), await outcome(state, file, 1), await outcome(state, file, 2)]
        expect(found).toEqual(row)
      })
  })
