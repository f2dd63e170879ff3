// Two rethreads on one journal, and a journal that something has damaged: who may go on with what.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runSql } from '../support/database.ts'
import { eventsIn, promptsHeard, saidIn } from '../support/journal.ts'
import { startRethread } from '../support/rethread.ts'
import { begin, openConversations, reopen, say } from '../support/talk.ts'

const PAGE_BYTES = 4096
const LEAF_OF_TABLE = 0x0d

test.each(['ended', 'was killed'])(
  'two rethreads: each with its own sessions, none with the other’s, until the other %s',
  async how => {
    const talk = await openConversations()
    const other = await startRethread({ folder: talk.folder })
    const theirs = String(await other.order({ order: 'begin' }))
    const ours = await begin(talk)
    await Promise.all([
      other.order({ order: 'prompt', id: theirs, text: 'stream 40' }),
      talk.conversations.prompt(ours, say('stream 40')),
      // At its start each settles, and must leave alone what the other is at.
      talk.conversations.settle(),
    ])
    for (const id of [theirs, ours]) expect((await saidIn(talk.store, id)).at(-1)).toMatch(/ word40$/)
    const before = await talk.store.count(theirs)
    await expect(talk.conversations.prompt(theirs, say('hello'))).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(`process ${other.pid}`),
    })
    expect(await talk.store.count(theirs)).toBe(before)
    expect(promptsHeard(talk.folder).map(({ text }) => text)).not.toContain('hello')
    if (how === 'ended') await other.order({ order: 'stop' })
    else await other.kill()
    expect(await talk.conversations.prompt(theirs, say('hello'))).toMatchObject({ restored: 'resume' })
    expect((await saidIn(talk.store, theirs)).at(-1)).toBe('assistant: hello')
  },
)

test('of two that want the same session at once one has it, and the other learns who has it', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.close()
  const both = [await startRethread({ folder: first.folder }), await startRethread({ folder: first.folder })]
  const turns = await Promise.allSettled(
    both.map(rethread => rethread.order({ order: 'prompt', id, text: 'stream 40' })),
  )
  expect(turns.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = turns.findIndex(({ status }) => status === 'rejected')
  expect(turns[refused]).toMatchObject({
    reason: { code: 'busy', message: expect.stringContaining(`process ${both[1 - refused]?.pid}`) },
  })
  expect(promptsHeard(first.folder)).toHaveLength(1)
})

async function withTwo() {
  const first = await openConversations()
  const [hurt, other] = [await begin(first), await begin(first)]
  await first.conversations.prompt(hurt, say('first words'))
  await first.conversations.prompt(hurt, say(`the needle ${'.'.repeat(5000)}`))
  // So that they are on other pages.
  await first.conversations.prompt(hurt, say('stream 40'))
  await first.conversations.prompt(hurt, say('last words'))
  await first.conversations.prompt(other, say('of the other'))
  await first.close()
  return { first, hurt, other }
}

test.each([
  [
    'a row',
    (path: string) =>
      void runSql(
        path,
        "UPDATE events SET sender = 'client' WHERE payload_json LIKE '%the needle%' AND kind LIKE '%chunk'",
      ),
  ],
  ['a page', (path: string) => damagePage(path, page => page[0] === LEAF_OF_TABLE && page.includes('the needle'))],
])(
  '%s of the journal that is damaged costs what was on it: the rest of the conversation and the others go on',
  async (_, damage) => {
    const { first, hurt, other } = await withTwo()
    damage(first.journal)
    const talk = await reopen(first)
    await talk.conversations.settle()
    const { skipped } = await talk.store.page(hurt, { limit: 1000 })
    expect(skipped.length).toBeGreaterThan(0)
    const said = await saidIn(talk.store, hurt)
    expect(said).toContain('assistant: last words')
    expect(said.length).toBeGreaterThanOrEqual(4)
    for (const id of [hurt, other]) {
      expect(await talk.conversations.prompt(id, say('go on'))).toMatchObject({ restored: 'resume' })
      expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: go on')
    }
    expect(await saidIn(talk.store, other)).toHaveLength(4)
  },
)

test('a damaged journal is enough to tell an agent again what can still be read of it', async () => {
  const { first, hurt } = await withTwo()
  damagePage(first.journal, page => page[0] === LEAF_OF_TABLE && page.includes('the needle'))
  const talk = await reopen(first, { flags: ['--without', 'resume', '--without', 'load'] })
  expect(await talk.conversations.prompt(hurt, say('go on'))).toMatchObject({ restored: 'replay' })
  expect(promptsHeard(first.folder).at(-1)?.replays[0]).toContain('last words')
  const child = await talk.conversations.fork(hurt)
  expect((await eventsIn(talk.store, child.id)).at(-1)?.seq).toBe(await talk.store.count(child.id))
  expect((await saidIn(talk.store, child.id)).at(-1)).toBe('assistant: go on')
})

function damagePage(path: string, isMeant: (page: Buffer) => boolean): void {
  const bytes = readFileSync(path)
  for (let at = PAGE_BYTES; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES)
    if (!isMeant(page)) continue
    page.fill(0xa5)
    writeFileSync(path, bytes)
    return
  }
  throw new Error('There is no such page.')
}
