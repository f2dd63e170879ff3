// A journal that cannot be written: nothing is sent to the agent or published that is not in it.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { CHUNK, eventsIn, isKind, notified, promptsHeard, saidIn } from '../../../test/support/journal.ts'
import { begin, openConversations, say } from '../../../test/support/talk.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { openJournalFile } from '../store/database.ts'
import { openStore } from '../store/open.ts'

/** A talk over a journal whose settings can be changed from here. */
async function openOver(flags: readonly string[] = [], busyMs = 5000) {
  const folder = temporaryHome()
  const file = await openJournalFile(join(folder, 'journal.sqlite'), { busyMs })
  const store = await openStore(file)
  onTestFinished(async () => await store.close())
  const talk = await openConversations({ folder, flags, store, onBackgroundError: () => undefined })
  const set = (pragma: string) => void file.writer.run(`PRAGMA ${pragma}`, [])
  return { talk, set }
}

test('a read-only journal: the prompt is refused with the reason, and the agent gets nothing', async () => {
  const { talk, set } = await openOver()
  const id = await begin(talk)
  set('query_only = ON')
  await expect(talk.conversations.prompt(id, say('hello'))).rejects.toMatchObject({
    code: 'permission-denied',
    path: talk.journal,
  })
  expect(promptsHeard(talk.folder)).toEqual([])
  set('query_only = OFF')
  await talk.conversations.prompt(id, say('hello'))
  expect(await saidIn(talk.store, id)).toEqual(['user: hello', 'assistant: hello'])
  expect(promptsHeard(talk.folder)).toHaveLength(1)
})

test('a full disk fails the prompt alone: it was not sent, and with room again the conversation continues', async () => {
  const { talk, set } = await openOver()
  const id = await begin(talk)
  set('max_page_count = 1')
  const large = say('hello'.padEnd(50_000, '.'))
  await expect(talk.conversations.prompt(id, large)).rejects.toMatchObject({ code: 'no-space' })
  expect(promptsHeard(talk.folder)).toEqual([])
  expect(talk.conversations.isLive(id)).toBe(true)
  expect(await talk.conversations.get(id)).toMatchObject({ openTurns: 0 })
  set('max_page_count = 100000')
  expect(await talk.conversations.prompt(id, say('hello'))).toEqual({ answer: { stopReason: 'end_turn' } })
})

test('a disk that fills up during an answer ends the connection, and exactly the journalled events were published', async () => {
  const { talk, set } = await openOver(['--fault', 'flood=20000'])
  const id = await begin(talk)
  const speaking = notified(talk, isKind(CHUNK))
  const turn = talk.conversations.prompt(id, say('go'))
  const failing = expect(turn).rejects.toMatchObject({ code: 'no-space' })
  await speaking
  set('max_page_count = 1')
  await failing
  const stored = await eventsIn(talk.store, id)
  const heard = talk.events.filter(({ sessionId }) => sessionId === id)
  expect(heard.map(({ seq }) => seq)).toEqual(stored.slice(0, heard.length).map(({ seq }) => seq))
  expect(heard.every(({ payload }, at) => stored[at]?.payload.equals(payload))).toBe(true)
  set('max_page_count = 100000')
  // That the turn was cut off may have found room, or not.
  await talk.conversations.settle()
  expect(await talk.conversations.get(id)).toMatchObject({ openTurns: 0 })
  expect((await saidIn(talk.store, id)).at(-1)).toMatch(/\(incomplete\)$/)
})

test('one that another process has locked: the prompt says so and was not sent; with the lock gone it works', async () => {
  const { talk } = await openOver([], 200)
  const id = await begin(talk)
  const other = startWriter(
    talk.journal,
    `open().exec('BEGIN IMMEDIATE'); say('locked'); await next(); opened[0].exec('COMMIT'); say('free'); await next()`,
  )
  await other.heard()
  await expect(talk.conversations.prompt(id, say('hello'))).rejects.toMatchObject({ code: 'database-busy' })
  expect(promptsHeard(talk.folder)).toEqual([])
  other.send('go on')
  await other.heard()
  await talk.conversations.prompt(id, say('hello'))
  expect(await saidIn(talk.store, id)).toEqual(['user: hello', 'assistant: hello'])
})
