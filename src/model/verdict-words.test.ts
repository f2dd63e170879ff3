// Every combination of findings, loads and refusals: no two sentences contradict each other.
import { describe, expect, test } from 'vitest'
import type { Context } from '../catalog/context.ts'
import { makeOutput } from '../cli/print/output.ts'
import { formatVerdict as printVerdict } from '../cli/print/verdict.ts'
import { apiVerdict } from '../server/verdict.ts'
import type { Finding, Severity } from './finding.ts'
import type { Status, Verdict } from './verdict.ts'
import { describeMeaning, describeVerdict, isRepairable } from './verdict-words.ts'

const SEVERITIES: Severity[] = ['lost', 'updating', 'survived']
const SUBSETS = [
  [],
  ['lost'],
  ['updating'],
  ['survived'],
  ['lost', 'survived'],
  ['updating', 'survived'],
  SEVERITIES,
] as Severity[][]
const LOADS = [
  { now: 0, afterRepair: 0, messageCount: 0 },
  { now: 0, afterRepair: 0, messageCount: 9 },
  { now: 0, afterRepair: 9, messageCount: 9 },
  { now: 4, afterRepair: 9, messageCount: 9 },
  { now: 4, afterRepair: 8, messageCount: 9 },
  { now: 4, afterRepair: 4, messageCount: 9 },
  { now: 9, afterRepair: 9, messageCount: 9 },
]
const REFUSED: Severity[][] = [[], ['lost'], ['survived'], ['lost', 'survived']]
const STATUSES: Status[] = ['healthy', 'corrupted', 'missing', 'unreadable', 'busy']

const finding = (severity: Severity): Finding => ({
  damage: `damage-${severity}`,
  severity,
  at: { file: '/f', start: 0, end: 12_850 },
  text: 'Bytes.',
  hint: 'See them.',
})

function* all(): Generator<Verdict> {
  for (const status of STATUSES)
    for (const severities of status === 'healthy' ? [[]] : SUBSETS)
      for (const { messageCount, ...loads } of LOADS)
        for (const refused of REFUSED)
          for (const moreFindings of [0, 3])
            for (const mendedBy of [undefined, 'rethread sanitize'])
              yield {
                agent: 'an-agent',
                sessionId: 's1',
                filePath: '/f',
                status,
                chainDepth: loads.now,
                orphanCount: 0,
                messageCount,
                fileSize: 1,
                loads,
                findings: severities.map(finding),
                moreFindings,
                refusals: refused.map(severity => ({ damage: `damage-${severity}`, text: 'Nobody can know.' })),
                ...(mendedBy === undefined ? {} : { mendedBy }),
              }
}

const context = { agents: [{ id: 'an-agent', title: 'Agent' }] } as unknown as Context
const output = { ...makeOutput(process), style: (_: string, text: string) => text }
const services = { context, sessions: { get: () => undefined } } as unknown as Parameters<typeof apiVerdict>[0]

/** Everything that a person would see of it at once. */
const VIEWS: Record<string, (verdict: Verdict) => string> = {
  'the sentences': verdict => Object.values(describeVerdict(verdict, { title: 'Agent' })).join(' '),
  'the terminal': verdict => printVerdict(output, context, verdict),
  'the page': verdict => {
    const { sentence, loss, repair, findings } = apiVerdict(services, verdict)
    return [sentence, loss, repair, ...findings.map(({ meaning }) => meaning)].join(' ')
  },
}

const isShort = ({ loads, messageCount }: Verdict): boolean => loads.afterRepair < messageCount
const hasLost = ({ findings }: Verdict): boolean => findings.some(({ severity }) => severity === 'lost')

describe.each(Object.entries(VIEWS))('%s', (_, view) => {
  test('say that nothing is lost only where nothing is, now and after a repair', () => {
    for (const verdict of all()) {
      const words = view(verdict)
      if (!/no message is lost|nothing is lost|nothing is wrong/i.test(words)) continue
      const { refusals, moreFindings, status } = verdict
      const isSo = !hasLost(verdict) && !isShort(verdict) && refusals.length === 0 && moreFindings === 0
      expect(isSo || status === 'healthy', `${words}\n${JSON.stringify(verdict)}`).toBe(true)
    }
  })

  test('say that a repair brings back all only where it does', () => {
    for (const verdict of all()) {
      const words = view(verdict)
      if (!/brings back all/i.test(words)) continue
      expect(isShort(verdict) || hasLost(verdict) || verdict.refusals.length > 0, words).toBe(false)
      expect(words).toContain(`all ${verdict.loads.afterRepair}`)
    }
  })

  test('never say both that it can be repaired and that it cannot', () => {
    for (const verdict of all()) {
      const words = view(verdict)
      const can = /a repair (brings|fixes)/i.test(words)
      const cannot = /it cannot be repaired|no repair can/i.test(words)
      expect(can && cannot, `${words}\n${JSON.stringify(verdict)}`).toBe(false)
      if (can) expect(isRepairable(verdict), words).toBe(true)
    }
  })

  test('name messages that still cannot be loaded wherever a repair is offered', () => {
    for (const verdict of all()) {
      if (verdict.status !== 'corrupted' || !isRepairable(verdict) || !isShort(verdict)) continue
      if (verdict.loads.now === 0 && verdict.loads.afterRepair === 0) continue
      expect(view(verdict)).toMatch(/still cannot be loaded/)
    }
  })
})

test('messages that the headline explains are not said to be missing after a repair', () => {
  for (const verdict of all()) {
    if (verdict.status !== 'corrupted' || !isRepairable(verdict) || verdict.mendedBy !== undefined) continue
    const messages = verdict.messageCount - verdict.loads.afterRepair
    const explained: Verdict = { ...verdict, notLoaded: [{ reason: 'left-out', messages }] }
    expect(describeVerdict(explained, { title: 'Agent' }).repair).not.toMatch(/still cannot be loaded/)
  }
})

test('copies that a repair removes are not said to be missing afterwards', () => {
  for (const verdict of all()) {
    if (verdict.status !== 'corrupted' || !isRepairable(verdict) || verdict.mendedBy !== undefined) continue
    const copies = verdict.messageCount - verdict.loads.afterRepair
    expect(describeVerdict({ ...verdict, copies }, { title: 'Agent' }).repair).not.toMatch(/still cannot be loaded/)
  }
})

test('a finding that is refused is never said to be harmless', () => {
  for (const verdict of all())
    for (const one of verdict.findings) {
      const isRefused = verdict.refusals.some(({ damage }) => damage === one.damage)
      const meaning = describeMeaning(verdict, one)
      if (isRefused && one.severity !== 'updating') expect(meaning).toMatch(/cannot be repaired/i)
      if (/no message is lost/i.test(meaning)) expect(hasLost(verdict) || isShort(verdict)).toBe(false)
    }
})

test('NULs in place of a whole conversation are lost, and no repair is offered', () => {
  const verdict: Verdict = {
    ...([...all()].find(({ status }) => status === 'corrupted') as Verdict),
    loads: { now: 0, afterRepair: 0 },
    messageCount: 0,
    findings: [finding('survived')],
    refusals: [{ damage: 'damage-survived', text: 'It ends before the first message.' }],
  }
  for (const view of Object.values(VIEWS))
    expect(view(verdict)).not.toMatch(/nothing is lost|no message is lost|a repair /i)
})
