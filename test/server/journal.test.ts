// A journal that is being written in the process of the server itself, and read by its threads.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { messagesPageSchema } from '../../src/server/api.ts'
import { answered, chunk, prompt } from '../support/journal/conversation-samples.ts'
import { sampleSession } from '../support/journal/samples.ts'
import { shareStage } from '../support/server.ts'

const stage = shareStage(() => undefined)
let store: JournalStore | undefined

afterAll(async () => await store?.close())

async function page(id: string) {
  return await stage().get(`/api/sessions/${stage().key(id)}/messages`, messagesPageSchema)
}

test('a conversation is listed, read and checked, and what is said while it is open is reported and shown', async () => {
  store = await openJournal(stage().context.journal)
  await store.createSession(sampleSession('talk-1'))
  await store.append('talk-1', [prompt(1, 'Hello'), chunk('Hi '), answered(1)])
  const locks = locksOf(stage().context.journal)
  await stage().server.services.sessions.refresh()
  // The server may have listed it a moment before, when it was still empty.
  await expect.poll(async () => (await page('talk-1')).total).toBe(2)
  const client = await stage().client({ active: 'talk-1' })
  const row = () => stage().server.services.sessions.find('talk-1')?.row
  const known = { agent: 'journal', title: 'Hello', status: 'healthy', messageCount: 2 }
  await expect.poll(row).toMatchObject(known)
  await store.append('talk-1', [prompt(2, 'More'), chunk('Yes'), answered(2)])
  expect(await client.sees('session.changed')).toMatchObject({ sessionId: 'talk-1', agent: 'journal' })
  await expect.poll(async () => (await page('talk-1')).total).toBe(4)
  await client.leave()
  // Its threads have read meanwhile: that must not have cost the writer its locks.
  expect(locksOf(stage().context.journal)).toEqual(locks)
  expect(await store.append('talk-1', [prompt(3, 'Still')])).toEqual({ firstSeq: 7, lastSeq: 7 })
})

/** Readers hold one while they read. */
const READ_MARK = / 12[3-7] 12[3-7]$/

/** The lasting ones of this process, on the database and on the index of its log; empty where the system does not tell. */
function locksOf(path: string): string[] {
  if (!existsSync('/proc/locks')) return []
  const inodes = [path, `${path}-shm`].map(file => `:${statSync(file).ino} `)
  const held = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter(line => line.includes(` ${process.pid} `) && inodes.some(inode => line.includes(inode)))
  const lasting = held.filter(line => !READ_MARK.test(line))
  return lasting.map(line => line.replace(/^\d+: /, '')).sort()
}
