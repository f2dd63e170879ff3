import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FixResult } from '../doctor/fix.ts'
import type { DoctorFinding, DoctorReport } from '../doctor/report.ts'
import type { Failure } from '../model/errors.ts'
import type { AdoptedSession } from '../repair/adopt/index.ts'
import { exitOfAdoption, exitOfDoctor, exitOfPass } from './exit-status.ts'

const failure: Failure = { agent: 'a', code: 'io-error', path: '/p', text: 't', hint: 'h' }
const error = { code: 'busy', text: 't', hint: 'h' }
const fix = (failed: boolean): FixResult => ({
  agent: 'a',
  text: 't',
  sessions: 1,
  receipt: undefined,
  notes: [],
  ...(failed ? { error } : {}),
})

describe('doctor', () => {
  const finding = (severity: DoctorFinding['severity']): DoctorFinding => ({
    kind: 'unlisted',
    severity,
    text: 't',
    evidence: [],
    isFixable: true,
    counts: {},
    sessions: [],
  })
  const report = (findings: DoctorFinding[], failures: Failure[] = []): DoctorReport => ({
    findings,
    failures,
    sessions: [],
    totals: { sessions: 0, listed: 0, lost: 0, unknown: 0 },
  })

  test.each([
    ['only a warning', report([finding('warning')]), [], 0],
    ['something that is lost', report([finding('lost')]), [], 3],
    ['a store that could not be examined', report([finding('lost')], [failure]), [], 5],
    ['nothing left, but a fix that failed', report([]), [fix(false), fix(true)], 5],
    ['something left after a fix that failed', report([finding('lost')]), [fix(true)], 3],
  ])('ends for %s', (_, after, fixes, status) => expect(exitOfDoctor(after, fixes)).toBe(status))
})

describe('restore --from', () => {
  const session = (more: Partial<AdoptedSession>): AdoptedSession => ({
    agent: 'a',
    sessionId: 's',
    from: '/from',
    filePath: null,
    project: null,
    status: 'adopted',
    isDamaged: false,
    files: 1,
    rows: 0,
    notes: [],
    receipt: null,
    ...more,
  })
  const damaged = session({ isDamaged: true })

  test.each([
    ['a healthy session', { adopted: [session({})], relinked: [], failures: [] }, 0],
    ['a damaged session', { adopted: [damaged], relinked: [], failures: [] }, 3],
    ['a refused session', { adopted: [damaged, session({ status: 'refused' })], relinked: [], failures: [] }, 5],
    ['an entry that was not made', { adopted: [damaged], relinked: [fix(true)], failures: [] }, 5],
    ['a store that could not be read', { adopted: [damaged], relinked: [], failures: [failure] }, 5],
  ])('ends for %s', (_, adoption, status) => expect(exitOfAdoption(adoption)).toBe(status))
})

describe('archive', () => {
  const pass = {
    sessions: 1,
    copied: 1,
    storedBytes: 1,
    deleted: [],
    shrunk: [],
    unsupported: 0,
    vanished: 0,
    pending: [],
    failures: [],
  }

  test.each([
    ['a complete pass', pass, 0],
    ['a session that vanished', { ...pass, vanished: 1 }, 3],
    ['a full archive', { ...pass, isFull: true as const }, 3],
    ['a failure', { ...pass, vanished: 1, failures: [failure] }, 5],
  ])('ends for %s', (_, result, status) => expect(exitOfPass(result)).toBe(status))
})

test('no other file chooses between the statuses of a result', () => {
  const choosing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.includes('exit-status'))
    .filter(name => /EXIT\.(degraded|trashed|notExamined)/.test(readFileSync(join(import.meta.dirname, name), 'utf8')))
  expect(choosing).toEqual([])
})
