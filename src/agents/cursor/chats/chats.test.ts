import { describe, expect, test } from 'vitest'
import { alter, BUBBLES, PROJECT, putState, putWindow, TOKEN } from '../../../../test/support/cursor/store-maker.ts'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { discoverAll, findSession, readFrom } from '../../../../test/support/reading.ts'
import { collect } from '../../../model/reading.ts'
import { cursor } from '../index.ts'

const CHAT_DATA = 'workbench.panel.aichat.view.aichat.chatdata'
const COMPOSERS = 'composer.composerData'
const TAB = '44444444-4444-4444-8444-444444444444'
const OTHER = '55555555-5555-4555-8555-555555555555'
const SAID = [
  { type: 'user', text: 'Add a discount', initText: '{"root":{"text":"Add a discount"}}', selections: [] },
  { type: 'ai', rawText: 'It takes ten percent off now.', modelType: 'gpt-4' },
]
const TABS = { tabs: [{ tabId: TAB, chatTitle: 'Discount', lastSendTime: Date.UTC(2026, 10, 1), bubbles: SAID }] }

async function readIn(home: string, id = TAB) {
  const session = await findSession(cursor, environmentOf(home), id)
  return { session, ...(await collect(readFrom(cursor, session))) }
}

describe('a tab of the chat panel', () => {
  test('is a session of the folder that was open', async () => {
    const home = temporaryHome()
    const file = putWindow(home, { [CHAT_DATA]: TABS })
    const { session, messages, end } = await readIn(home)
    expect(session).toMatchObject({ generation: 'chats', title: 'Discount', project: PROJECT, filePath: file })
    expect(messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['user', [{ type: 'text', text: 'Add a discount' }]],
      ['assistant', [{ type: 'text', text: 'It takes ten percent off now.' }]],
    ])
    expect(messages[0]?.at).toEqual({ file, table: 'ItemTable', row: CHAT_DATA })
    expect(end.facts).toEqual({
      sessionId: TAB,
      title: 'Discount',
      project: PROJECT,
      updatedAt: '2026-11-01T00:00:00.000Z',
      model: 'gpt-4',
    })
    expect(end).toMatchObject({ type: 'complete', counts: { records: 2, unknown: 0 } })
  })

  test('in the shared database is a session too', async () => {
    const home = temporaryHome()
    alter(putState(home, []), 'INSERT INTO ItemTable VALUES (?, ?)', CHAT_DATA, JSON.stringify(TABS))
    expect((await readIn(home)).messages).toHaveLength(2)
  })

  test('shows what it does not know, and reports what is not an object', async () => {
    const home = temporaryHome()
    const bubbles = [...SAID, { type: 'oracle', text: 'Beware' }, { type: 'ai', speech: 'Hello' }, 'x']
    putWindow(home, { [CHAT_DATA]: { tabs: [{ tabId: TAB, bubbles }] } })
    const { messages, end } = await readIn(home)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'assistant'])
    expect(end.counts).toEqual({ records: 4, bookkeeping: 0, unknown: 2, skipped: 1 })
    expect(end.findings).toMatchObject([{ damage: 'malformed-bubble', severity: 'lost' }])
    expect(JSON.stringify([messages, end])).not.toContain(TOKEN)
  })

  test('without messages is not a session', async () => {
    const home = temporaryHome()
    putWindow(home, { [CHAT_DATA]: { tabs: [{ tabId: TAB, bubbles: [] }, 'x', {}] } })
    expect(await discoverAll(cursor, environmentOf(home))).toEqual([])
  })

  test('is found under the other names that readers know, and with messages under an unknown name', async () => {
    const home = temporaryHome()
    const unfamiliar = { tabId: OTHER, entries: [{ author: 'me', words: 'Add a discount' }] }
    putWindow(home, { 'aichat.chatdata': { tabs: [{ id: TAB, title: 'Discount', bubbles: SAID }, unfamiliar] } })
    expect((await readIn(home)).session).toMatchObject({ title: 'Discount' })
    expect((await readIn(home)).messages).toHaveLength(2)
    const { messages, end } = await readIn(home, OTHER)
    expect(JSON.stringify(messages)).toContain('Add a discount')
    expect(end.counts.unknown).toBe(1)
  })
})

describe('a composer of a window', () => {
  const stored = { composerId: OTHER, name: 'Cart', createdAt: Date.UTC(2026, 10, 1), conversation: BUBBLES }

  test('that holds its messages is a session', async () => {
    const home = temporaryHome()
    putWindow(home, { [COMPOSERS]: { allComposers: [{ composerId: TAB, name: 'Empty' }, stored] } })
    const { session, messages, end } = await readIn(home, OTHER)
    expect(session).toMatchObject({ generation: 'chats', title: 'Cart', project: PROJECT })
    expect(messages.map(({ id }) => id)).toEqual(['b1', 'b2', 'b3', 'b4'])
    expect(end.facts.startedAt).toBe('2026-11-01T00:00:00.000Z')
    expect(await discoverAll(cursor, environmentOf(home))).toHaveLength(1)
  })

  test('that was moved to the shared database is listed once', async () => {
    const home = temporaryHome()
    putState(home, [{ id: OTHER }])
    putWindow(home, { [COMPOSERS]: { allComposers: [stored] } })
    expect(await discoverAll(cursor, environmentOf(home))).toMatchObject([{ session: { generation: 'ide' } }])
  })

  test('with rows of its own is read as those of the shared database', async () => {
    const home = temporaryHome()
    const file = putWindow(home, {}, [{ id: OTHER, composer: { workspaceIdentifier: undefined } }])
    const { session, messages } = await readIn(home, OTHER)
    expect(session).toMatchObject({ generation: 'ide', filePath: file, project: PROJECT })
    expect(messages).toHaveLength(4)
  })
})

describe('a failure', () => {
  const failures = async (home: string) =>
    (await discoverAll(cursor, environmentOf(home))).flatMap(found =>
      found.type === 'failure' ? [[found.failure.code, found.failure.path]] : [],
    )

  test('is a row that is not JSON', async () => {
    const home = temporaryHome()
    const file = putWindow(home, { [CHAT_DATA]: '{"tabs":[' })
    expect(await failures(home)).toEqual([['not-a-session', file]])
  })

  test('is a database whose tables are not known', async () => {
    const home = temporaryHome()
    const file = putWindow(home, {})
    alter(file, 'DROP TABLE ItemTable')
    alter(file, 'DROP TABLE cursorDiskKV')
    expect(await failures(home)).toEqual([['unsupported', file]])
  })

  test('is reported where the editor keeps chats of another kind; an empty list is none', async () => {
    const home = temporaryHome()
    const file = putWindow(home, { 'interactive.sessions': [] })
    expect(await failures(home)).toEqual([])
    alter(file, "UPDATE ItemTable SET value = '[{\"requests\":[]}]' WHERE key = 'interactive.sessions'")
    expect(await failures(home)).toEqual([['unsupported', file]])
  })
})
