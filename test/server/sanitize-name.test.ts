// Conversations in folders without an id, those that nobody can repair now, and those that only a person repairs: through HTTP, on real files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdFlock } from '../../src/disk/processes/flock.ts'
import type { SanitizeDecisions } from '../../src/server/api.ts'
import {
  apiErrorSchema,
  healthSchema,
  nameAnswerSchema,
  sanitizedSchema,
  sanitizeSchema,
  sessionsPageSchema,
  undoAnswerSchema,
} from '../../src/server/api.ts'
import { DAMAGED_EVENTS, DAMAGED_FLAGS, shareNamedFolders } from '../support/folder-stage.ts'
import { SILO } from '../support/jp/store.ts'
import { GOOD_EVENTS } from '../support/sanitize-stage.ts'

const stage = shareNamedFolders({
  notes: { 'metadata.json': undefined },
  all: { ...DAMAGED_EVENTS, ...DAMAGED_FLAGS },
  left: {},
  trashed: DAMAGED_EVENTS,
  '17935272100-missing': { 'events.json': undefined },
  '17935272101-locked': DAMAGED_EVENTS,
  '17935272102-blocked': {},
})

const pathOf = (id: string, what = ''): string => `/api/sessions/${stage().key(id)}/sanitize${what}`
const ask = (id: string) => stage().server.get(pathOf(id), sanitizeSchema)
const decide = (id: string, body: SanitizeDecisions) => stage().server.post(pathOf(id), body)

test('a name is proposed, others are judged, and a wrong one is refused with the reason', async () => {
  const { name, events, flags, isTrashed } = await ask('left')
  expect(name).toEqual({
    folder: 'left',
    proposed: '17935272000-price-field-in-the-cart',
    source: 'the time of its first event and its title',
  })
  expect({ events, flags, isTrashed }).toEqual({ events: null, flags: null, isTrashed: false })
  const judge = async (typed: string) =>
    (await stage().server.post(pathOf('left', '/name'), { name: typed })).as(nameAnswerSchema)
  expect(await judge('17935272555-mine')).toEqual({ isRight: true })
  expect(await judge('mine')).toMatchObject({ isRight: false, text: expect.stringContaining('begins with an id') })
  const wrong = await decide('left', { name: { type: 'rename', name: '17935272100' } })
  expect(wrong.status).toBe(400)
  expect(wrong.as(apiErrorSchema).text).toContain('Another conversation has this id')
  const left = (await decide('left', { name: { type: 'leave' } })).as(sanitizedSchema)
  expect(left).toMatchObject({ newKey: null, lines: [{ part: 'left', text: expect.stringContaining('as you chose') }] })
  expect(stage().names()).toContain('left')
})

test('a new name leads to a new key, with the repair in its history; undo takes all of it back', async () => {
  const answer = (await decide('notes', { name: { type: 'rename', name: '17935272200-notes' } })).as(sanitizedSchema)
  expect(answer.lines.map(({ text }) => text)).toEqual([
    'Repaired conversation 17935272200-notes: recreated missing metadata.json',
    'Repaired conversation notes: renamed its folder to 17935272200-notes',
  ])
  expect(answer.verdict.status).toBe('healthy')
  const key = stage().key('jp-c17935272200')
  expect(answer.newKey).toBe(key)
  const { receipts, undo } = await stage().server.get(`/api/sessions/${key}/health`, healthSchema)
  expect(receipts.map(({ damages }) => damages.toSorted())).toEqual([['folder-name', 'lost-header']])
  expect(undo).toBe(receipts[0]?.id)
  const undone = (await stage().server.post(`/api/sessions/${key}/undo`, { receipt: undo })).as(undoAnswerSchema)
  expect(undone.verdict.status).toBe('missing')
  expect(stage().names()).toContain('notes')
})

test('what is wrong with its files is asked with the name, and all of it is decided at once', async () => {
  const { name, events, flags, lines } = await ask('all')
  expect({ name, flags }).toMatchObject({ name: { folder: 'all' }, flags: { file: 'init_config.json' } })
  expect(lines[0]?.text).toMatch(/^Invalid directory name; init_config.json: .*; events.json: trailing comma/)
  const decisions: SanitizeDecisions = {
    name: { type: 'rename', name: name?.proposed ?? '' },
    events: { type: 'suggestion', mark: events?.mark ?? '' },
    flags: { line: '-m openai/gpt-5' },
  }
  const { verdict, newKey } = (await decide('all', decisions)).as(sanitizedSchema)
  expect([verdict.status, newKey === null]).toEqual(['healthy', false])
  const renamed = name?.proposed ?? ''
  expect(JSON.parse(stage().read(renamed, 'events.json')).slice(1)).toEqual(JSON.parse(GOOD_EVENTS))
  expect(stage().read(renamed, 'init_config.json')).toContain('gpt-5')
})

test('without a name, a decision about its files does nothing; the trash needs none', async () => {
  const { events } = await ask('trashed')
  const suggestion = { type: 'suggestion', mark: events?.mark ?? '' } as const
  const left = (await decide('trashed', { events: suggestion })).as(sanitizedSchema)
  expect(left.lines).toMatchObject([{ part: 'left' }])
  expect(stage().read('trashed', 'events.json')).toBe(DAMAGED_EVENTS['events.json'])
  const { lines } = (await decide('trashed', { name: { type: 'trash' } })).as(sanitizedSchema)
  expect(lines).toMatchObject([{ part: 'trashed' }])
  expect(stage().names()).not.toContain('trashed')
})

test('a decision about a name that nobody asks for is refused', async () => {
  const answer = await decide('jp-c17935272100', { name: { type: 'trash' } })
  expect([answer.status, answer.as(apiErrorSchema).code]).toEqual([409, 'plan-outdated'])
  expect((await stage().server.post(pathOf('jp-c17935272100', '/name'), { name: 'x' })).status).toBe(409)
})

test('events that are not there leave nothing to edit, and the report says where to put them', async () => {
  const { events, lines } = await ask('jp-c17935272100')
  expect(lines[0]?.text).toBe('Missing events.json. The next command of JP moves it to its trash')
  expect(events).toMatchObject({ size: 0, content: null, suggestion: null })
  expect(events?.path).toMatch(/17935272100-missing\/events\.json$/)
})

test('one that is locked by its agent says so, with what to do, and asks nothing', async () => {
  const locks = join(stage().server.home, SILO, 'locks')
  mkdirSync(locks, { recursive: true })
  const held = holdFlock(join(locks, 'jp-c17935272101.lock'))
  const locked = await ask('jp-c17935272101')
  held.release()
  expect(locked).toMatchObject({ name: null, events: null, flags: null, lines: [{ part: 'skipped' }] })
  expect(locked.lines[0]?.remark).toMatch(/When that has ended, run: rethread sanitize \S+shop$/)
  expect((await ask('jp-c17935272101')).events).not.toBeNull()
})

test('one that is blocked says so, with what to do, as a run would', async () => {
  const metadata = join(stage().server.home, 'shop/.jp/conversations/17935272102-blocked/metadata.json')
  rmSync(metadata)
  execFileSync('mkfifo', [metadata])
  const { lines, events } = await ask('jp-c17935272102')
  const blocked = { part: 'blocked', text: 'metadata.json is a fifo, and was not opened' }
  expect({ lines, events }).toMatchObject({ lines: [blocked], events: null })
  expect(lines[0]?.remark).toMatch(/Fix what it names, then run: rethread sanitize/)
})

test('“Repair all” does not count or touch what only a person decides about', async () => {
  const { counts } = await stage().server.get('/api/sessions', sessionsPageSchema)
  expect(counts.needRepair).toBeGreaterThan(0)
  expect(counts.needDecision).toBe(counts.needRepair)
  expect(JSON.parse((await stage().server.post('/api/repair-all')).text)).toEqual({ total: 0 })
})
