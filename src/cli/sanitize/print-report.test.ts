import { expect, test } from 'vitest'
import type { ReportEntry, SanitizeReport } from '../../agents/sanitizer.ts'
import { exitOfReport } from '../exit-status.ts'
import type { Output } from '../print/output.ts'
import { addReports, printReport } from './print-report.ts'

const EMPTY = addReports([])
const entry = (line: string, more: Partial<ReportEntry> = {}): ReportEntry => ({
  conversation: '17-chat',
  root: '/store',
  line,
  ...more,
})

function printed(report: Partial<SanitizeReport>, isCheck = false, folder?: string): string[] {
  const lines: string[] = []
  const output = { remark: (text: string) => void lines.push(text), style: (_: string, text: string) => text }
  printReport(output as unknown as Output, { ...EMPTY, ...report }, { isCheck, folder })
  return lines
}

test('each line as it is given, the sum, and what to do next', () => {
  const repaired = [
    entry('Repaired conversation 17-chat: recreated missing metadata.json', { receipt: 'r1' }),
    entry('Repaired conversation 17-chat: rebuilt base_config.json from workspace config', { receipt: 'r1' }),
  ]
  const trashed = [entry('Trashed corrupt conversation 18-x: events.json: expected array', { conversation: '18-x' })]
  expect(printed({ repaired, trashed, conversations: 1200 })).toEqual([
    'Repaired conversation 17-chat: recreated missing metadata.json',
    'Repaired conversation 17-chat: rebuilt base_config.json from workspace config',
    'Trashed corrupt conversation 18-x: events.json: expected array',
    '1,200 conversations examined: 1 repaired, 1 trashed.',
    'Undo it: rethread undo r1',
    'Bring it back: rethread trash restore 18-x',
  ])
})

test('a conversation that got another name is counted once', () => {
  const repaired = [
    entry('renamed', { conversation: 'notes', target: '/store/conversations/17-chat' }),
    entry('recreated', { conversation: '17-chat' }),
  ]
  expect(printed({ repaired, conversations: 2 })).toContain('2 conversations examined: 1 repaired.')
})

test('copies of one conversation are counted once, and brought back under the name that they have in the trash', () => {
  const trashed = ['/store', '/other'].map(root => entry('Trashed', { root, target: `${root}/.trash/17-chat-1` }))
  expect(printed({ trashed, conversations: 1 }, false, '/my shop')).toEqual([
    'Trashed (both copies)',
    '1 conversation examined: 1 trashed.',
    "Bring it back: rethread trash restore 17-chat-1 --dir '/my shop'",
  ])
  expect(printed({ left: [entry('x')] }, true, '/my shop').at(-1)).toMatch(/rethread sanitize '\/my shop'$/)
})

test('a remark is shown once, below the lines; of many, a few', () => {
  const repaired = ['a', 'a', 'b'].map(remark => entry(`line`, { remark }))
  expect(printed({ repaired, conversations: 3 })).toEqual([
    'line',
    'line',
    'line',
    '3 conversations examined: 1 repaired.',
    'a',
    'b',
  ])
  const many = ['a', 'b', 'c', 'd', 'e'].map(remark => entry('line', { remark }))
  expect(printed({ repaired: many }).slice(-2)).toEqual(['c', '… and 2 more like these.'])
})

test('what is the same of both copies is said once; what is not stays as it is', () => {
  const roots = ['/store', '/other']
  const both = roots.map(root => entry('same', { root }))
  expect(printed({ repaired: [entry('first'), ...both, entry('last')] }).slice(0, 3)).toEqual([
    'first',
    'same (both copies)',
    'last',
  ])
  expect(printed({ repaired: both.slice(0, 1), degraded: both.slice(1) }).slice(0, 2)).toEqual(['same', 'same'])
  expect(printed({ repaired: [...both, entry('same')] }).slice(0, 3)).toEqual(['same', 'same', 'same'])
  const others = roots.map((root, index) => entry('same', { root, conversation: `${index}` }))
  expect(printed({ repaired: others }).slice(0, 2)).toEqual(['same', 'same'])
  const storages = roots.map(root => entry('same', { root, conversation: '' }))
  expect(printed({ blocked: storages }).slice(0, 2)).toEqual(['same', 'same'])
})

test('where there is nothing to do, that is said', () => {
  expect(printed({ conversations: 1 })).toEqual(['1 conversation examined: nothing to repair.'])
})

test('a check says that it changed nothing; an interrupted run that it is not all', () => {
  expect(printed({ left: [entry('x')] }, true).at(-1)).toBe('Nothing was changed. Repair them: rethread sanitize')
  expect(printed({ lockedOut: [entry('x')] }, true).at(-1)).toBe('Nothing was changed. Repair them: rethread sanitize')
  expect(printed({ lockedOut: [entry('x')] })).toHaveLength(2)
  expect(printed({ isInterrupted: true, repaired: [entry('x')] })[1]).toContain(
    'Interrupted: what was finished is kept.',
  )
  expect(printed({ isInterrupted: true })).toEqual(['Interrupted: nothing was changed.'])
})

test('no name of a folder reaches the terminal as it is', () => {
  expect(printed({ left: [entry('a\u001b[2Jb\nc')] })[0]).toBe('a␛[2Jb c')
})

test.each([
  [{}, 0],
  [{ repaired: [entry('x')] }, 0],
  [{ degraded: [entry('x')], repaired: [entry('x')] }, 3],
  [{ degraded: [entry('x')], trashed: [entry('x')] }, 4],
  [{ trashed: [entry('x')], left: [entry('x')] }, 5],
  [{ blocked: [entry('x')] }, 5],
  [{ lockedOut: [entry('x')] }, 5],
  [{ skipped: [entry('x')] }, 5],
  [{ left: [entry('x')], isInterrupted: true }, 130],
])('the exit status of %j is %d', (report, status) => {
  expect(exitOfReport({ ...EMPTY, ...report })).toBe(status)
})

test('what is only worth knowing is reported, and is nothing to repair', () => {
  const noticed = [entry('Noticed in conversation 17-chat: events.json is a link to ../16/events.json')]
  const report = { ...EMPTY, noticed, conversations: 2 }
  expect(printed(report)).toEqual([
    'Noticed in conversation 17-chat: events.json is a link to ../16/events.json',
    '2 conversations examined: nothing to repair.',
  ])
  expect(exitOfReport(report)).toBe(0)
})

test.each([
  ['-weird', "rethread trash restore --dir '/my shop' -- -weird"],
  ['two\nlines', "rethread trash restore $'two\\012lines' --dir '/my shop'"],
])('the way back of %j can be pasted', (name, command) => {
  const trashed = [entry('Trashed', { conversation: name, target: `/store/.trash/${name}` })]
  expect(printed({ trashed, conversations: 1 }, false, '/my shop').at(-1)).toBe(`Bring it back: ${command}`)
})
