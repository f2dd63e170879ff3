import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { sessionIn, verdictFor } from '../../../test/support/verdicts.ts'
import type { Verdict } from '../../model/verdict.ts'
import { originOf } from './origin.ts'
import { formatVerdict, parseVerdict } from './stored-verdict.ts'

const place = { file: '/a', start: 0, end: 1 }
const finding = {
  damage: 'torn',
  severity: 'survived' as const,
  at: place,
  text: 'A line is torn.',
  hint: 'Repair it.',
}

const VERDICTS: [string, Partial<Verdict>][] = [
  ['of a healthy session', {}],
  ['with messages that are joined when they are sent', { sent: { now: 1, afterRepair: 1 } }],
  ['with messages that are not loaded', { notLoaded: [{ reason: 'compaction', messages: 3 }] }],
  ['with copies', { copies: 2 }],
  ['with copies and joined messages', { copies: 2, sent: { now: 1, afterRepair: 1 } }],
  ['with findings', { status: 'corrupted', findings: [finding], moreFindings: 4 }],
  ['with a refusal', { refusals: [{ damage: 'torn', text: 'Nobody knows how.' }] }],
  ['with another command', { mendedBy: 'rethread jp' }],
]

test.each(VERDICTS)('a verdict %s comes back as it was, with its fields in the same order', (_, rest) => {
  const session = sessionIn(put(temporaryHome(), 'one.jsonl', '{}\n'))
  const plain = verdictFor(session)
  // In the order in which a check gives them.
  const { findings, moreFindings, refusals, ...before } = { ...plain, ...rest }
  const { sent, mendedBy, ...known } = before
  const verdict: Verdict = {
    ...known,
    ...(sent === undefined ? {} : { sent }),
    findings,
    moreFindings,
    refusals,
    ...(mendedBy === undefined ? {} : { mendedBy }),
  }
  const origin = originOf(session, [session.filePath, `${session.filePath}.index`])
  const parsed = parseVerdict(formatVerdict(verdict, origin, 'rules', '/home/dev'), session, 'rules')
  expect(parsed).toEqual({ origin, verdict, project: '/home/dev' })
  expect(JSON.stringify(parsed?.verdict)).toBe(JSON.stringify(verdict))
})

test('the identity of a session that shares its file comes back', () => {
  const session = { ...sessionIn(put(temporaryHome(), 'one.jsonl', '{}\n')), identity: 'row 7' }
  const origin = originOf(session)
  expect(origin).toEqual({ identity: 'row 7' })
  const verdict = verdictFor(session)
  expect(parseVerdict(formatVerdict(verdict, origin, 'rules', undefined), session, 'rules')).toEqual({
    origin,
    verdict,
  })
})
