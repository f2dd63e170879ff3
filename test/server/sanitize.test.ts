// Conversations that are folders of files, through HTTP: what is asked, what is decided, and that nothing else is touched. On real files.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventsQuestion, Sanitized } from '../../src/server/api.ts'
import {
  apiErrorSchema,
  flagsAnswerSchema,
  healthSchema,
  sanitizedSchema,
  sanitizeSchema,
  sessionDetailSchema,
  undoAnswerSchema,
  validatedSchema,
} from '../../src/server/api.ts'
import { putConversation } from '../support/conversations.ts'
import { linkStorage, putWorkspace, SILO, WHOLE } from '../support/jp/store.ts'
import { BAD_EVENTS, GOOD_EVENTS } from '../support/sanitize-stage.ts'
import { type ServerStage, shareStage } from '../support/server.ts'

const DAMAGED = { ...WHOLE, 'events.json': BAD_EVENTS }
const START = 17935272000
const IDS = { edited: 0, suggested: 1, trashed: 2, untouched: 3, stale: 4, flags: 5, held: 6, local: 7 } as const
type Name = keyof typeof IDS
const DAMAGED_EVENTS: readonly Name[] = ['edited', 'suggested', 'trashed', 'untouched', 'stale', 'held']
let other = ''

const folderName = (name: Name): string => `${START + IDS[name]}-price-field`
const fill = (home: string): void => {
  linkStorage(home, join(home, 'shop/.jp'))
  for (const name of DAMAGED_EVENTS) putWorkspace(home, DAMAGED, folderName(name))
  putWorkspace(home, { ...WHOLE, 'init_config.json': '{"assistant": {' }, folderName('flags'))
  const local = join(home, SILO, 'conversations', folderName('local'))
  putWorkspace(home, DAMAGED, folderName('local'))
  // A newer copy in the user's data, which is the one that is read.
  for (const [file, content] of Object.entries(DAMAGED)) putCopy(local, file, content)
  other = putConversation(home, 1, {}).id
  makeOld(join(home, 'shop'))
  makeOld(join(home, SILO))
}

/** What was written a moment ago may still be being written. */
function makeOld(folder: string): void {
  const then = new Date(Date.now() - 3_600_000)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), then, then)
}

function putCopy(folder: string, file: string, content: unknown): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), typeof content === 'string' ? content : `${JSON.stringify(content)}\n`)
}

const stage: () => ServerStage = shareStage(fill)
const folder = (name: Name): string => join(stage().home, 'shop/.jp/conversations', folderName(name))
const events = (name: Name): string => readFileSync(join(folder(name), 'events.json'), 'utf8')
const keyOf = (name: Name): string => stage().key(`jp-c${START + IDS[name]}`)
const pathOf = (name: Name, what = 'sanitize'): string => `/api/sessions/${keyOf(name)}/${what}`
const ask = (name: Name) => stage().get(pathOf(name), sanitizeSchema)
const decide = (name: Name, body: object) => stage().post(pathOf(name), body)
const healthOf = (name: Name) => stage().get(pathOf(name, 'health'), healthSchema)

async function eventsOf(name: Name): Promise<EventsQuestion> {
  const { events: asked } = await ask(name)
  if (asked === null) throw new Error('Nothing is asked about its events.')
  return asked
}

async function decided(name: Name, body: object): Promise<Sanitized> {
  return (await decide(name, body)).as(sanitizedSchema)
}

test('what is asked says what is wrong and where, offers the text and a fix, and changes nothing', async () => {
  const before = readdirSync(folder('untouched'))
  const { lines, flags, isTrashed } = await ask('untouched')
  const asked = await eventsOf('untouched')
  expect(lines).toMatchObject([{ part: 'left', text: expect.stringContaining('trailing comma') }])
  expect({ flags, isTrashed }).toEqual({ flags: null, isTrashed: false })
  expect(asked).toMatchObject({
    file: 'events.json',
    content: BAD_EVENTS,
    notEditable: null,
    size: Buffer.byteLength(BAD_EVENTS),
  })
  expect(asked.line).toBe(BAD_EVENTS.split('\n').length)
  expect(asked.suggestion?.edits).toMatchObject([
    { oldLength: 1, newLength: 0, old: Buffer.from(',').toString('base64') },
  ])
  expect(readdirSync(folder('untouched'))).toEqual(before)
  expect(events('untouched')).toBe(BAD_EVENTS)
  const detail = await stage().get(`/api/sessions/${keyOf('untouched')}`, sessionDetailSchema)
  expect(detail.isSanitized).toBe(true)
})

test('a text that is still wrong is refused with its place; the right one makes it healthy, and undo brings the old bytes back', async () => {
  const { mark, line } = await eventsOf('edited')
  const check = async (content: string) =>
    (await stage().post(pathOf('edited', 'sanitize/validate'), { content })).as(validatedSchema)
  expect(await check(BAD_EVENTS)).toMatchObject({
    isRight: false,
    line,
    text: expect.stringContaining('trailing comma'),
  })
  expect(await check(GOOD_EVENTS)).toEqual({ isRight: true })

  const wrong = await decide('edited', { events: { type: 'replace', mark, content: '[{]' } })
  expect(wrong.status).toBe(400)
  expect(wrong.as(apiErrorSchema).text).toMatch(/cannot be loaded either/)
  expect(events('edited')).toBe(BAD_EVENTS)

  const { lines, verdict } = await decided('edited', { events: { type: 'replace', mark, content: GOOD_EVENTS } })
  expect(lines).toMatchObject([{ part: 'repaired', receipt: expect.any(String) }])
  expect(verdict.status).toBe('healthy')
  expect(events('edited')).toBe(GOOD_EVENTS)
  const repaired = await healthOf('edited')
  expect(repaired.undo).toBe(lines[0]?.receipt)
  expect(await ask('edited')).toMatchObject({ lines: [], events: null })

  const undone = (await stage().post(pathOf('edited', 'undo'), { receipt: repaired.undo })).as(undoAnswerSchema)
  expect(undone.verdict.status).not.toBe('healthy')
  expect(events('edited')).toBe(BAD_EVENTS)
})

test('the suggested fix is applied to this conversation, and no other of the workspace is touched', async () => {
  const { mark } = await eventsOf('suggested')
  const { verdict } = await decided('suggested', { events: { type: 'suggestion', mark } })
  expect(verdict.status).toBe('healthy')
  expect(JSON.parse(events('suggested'))).toEqual(JSON.parse(GOOD_EVENTS))
  expect(events('untouched')).toBe(BAD_EVENTS)
  expect(readdirSync(folder('untouched')).sort()).toEqual(Object.keys(DAMAGED).sort())
})

test('a conversation that is in the user’s data as well is repaired in both, with its repair in its history', async () => {
  const { mark } = await eventsOf('local')
  const { verdict, lines } = await decided('local', { events: { type: 'suggestion', mark } })
  expect(verdict.status).toBe('healthy')
  expect((await healthOf('local')).undo).toBe(lines[0]?.receipt)
  expect(() => JSON.parse(events('local'))).not.toThrow()
})

test('what is put into the trash is gone from the list, and is in the trash as a whole', async () => {
  const { mark } = await eventsOf('trashed')
  const key = keyOf('trashed')
  const { lines, verdict } = await decided('trashed', { events: { type: 'trash', mark } })
  expect(lines).toMatchObject([{ part: 'trashed' }])
  expect(verdict.status).toBe('missing')
  expect(existsSync(folder('trashed'))).toBe(false)
  expect((await stage().ask(`/api/sessions/${key}/health`)).status).toBe(404)
  const trash = join(stage().home, 'shop/.jp/conversations/.trash', folderName('trashed'))
  expect(readFileSync(join(trash, 'events.json'), 'utf8')).toBe(BAD_EVENTS)
})

test('left is left, and says so', async () => {
  const { lines } = await decided('untouched', { events: { type: 'leave' } })
  expect(lines).toMatchObject([{ part: 'left', text: expect.stringContaining('as you chose') }])
  expect(events('untouched')).toBe(BAD_EVENTS)
})

test('a decision about bytes that are not there any more is refused', async () => {
  const { mark } = await eventsOf('stale')
  writeFileSync(join(folder('stale'), 'events.json'), `${BAD_EVENTS} `)
  const answer = await decide('stale', { events: { type: 'trash', mark } })
  expect(answer.status).toBe(409)
  expect(answer.as(apiErrorSchema).code).toBe('plan-outdated')
  expect(events('stale')).toBe(`${BAD_EVENTS} `)
})

test('flags are explained before they are written, and remembered', async () => {
  const explain = async (line: string) =>
    (await stage().post(pathOf('flags', 'sanitize/flags'), { line })).as(flagsAnswerSchema)
  expect((await ask('flags')).flags).toMatchObject({ file: 'init_config.json', remembered: null })
  expect(await explain('--no-such-flag')).toMatchObject({ type: 'wrong' })
  expect(await explain('-m openai/gpt-5')).toMatchObject({ type: 'delta', delta: { assistant: expect.anything() } })
  expect((await decide('flags', { flags: { line: '--no-such-flag' } })).status).toBe(400)
  const { verdict } = await decided('flags', { flags: { line: '-m openai/gpt-5' } })
  expect(verdict.status).toBe('healthy')
  expect(readFileSync(join(folder('flags'), 'init_config.json'), 'utf8')).toContain('gpt-5')
})

test('nothing is decided while a terminal runs it, and nothing of agents that have no such store', async () => {
  const { mark } = await eventsOf('held')
  const release = stage().server.services.checks.hold(keyOf('held'))
  const answer = await decide('held', { events: { type: 'suggestion', mark } })
  release()
  expect(answer.status).toBe(409)
  expect(events('held')).toBe(BAD_EVENTS)
  expect((await stage().ask(`/api/sessions/${stage().key(other)}/sanitize`)).status).toBe(501)
})
