import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ChatPlan } from '../../../../test/support/cursor/store-maker.ts'
import {
  alter,
  CHAT,
  json,
  PROJECT,
  putChat,
  SECRET_KEY,
  STARTED,
  transcriptPlace,
} from '../../../../test/support/cursor/store-maker.ts'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { discoverAll, findSession, readFrom, said } from '../../../../test/support/reading.ts'
import { encodeProto } from '../../../bytes/protobuf.ts'
import type { ReadingEnd } from '../../../model/reading.ts'
import { collect } from '../../../model/reading.ts'
import { cursor } from '../index.ts'

const ID = '33333333-3333-4333-8333-333333333333'

async function readChat(plan: Partial<ChatPlan>, damage: (made: ReturnType<typeof putChat>) => void = () => {}) {
  const home = temporaryHome()
  const made = putChat(home, { id: ID, ...plan })
  damage(made)
  const session = await findSession(cursor, environmentOf(home), ID)
  return { ...made, home, session, ...(await collect(readFrom(cursor, session))) }
}

const conversation = (messages: Awaited<ReturnType<typeof readChat>>['messages']) =>
  messages.filter(message => message.role !== 'system')
const lost = (end: ReadingEnd) => end.findings.filter(finding => finding.severity === 'lost')

describe('a chat', () => {
  test('has its facts from meta.json and from the store', async () => {
    const { end, session } = await readChat({})
    expect(end.facts).toEqual({
      sessionId: ID,
      title: 'Cart discount',
      project: PROJECT,
      startedAt: new Date(STARTED).toISOString(),
      updatedAt: new Date(STARTED + 60_000).toISOString(),
      model: 'sonnet',
    })
    expect(session).toMatchObject({ title: 'Cart discount', project: PROJECT, generation: 'cli' })
  })

  test('keeps the order of the root, though every answer has the id "1"', async () => {
    const { messages, ids } = await readChat({})
    expect(messages.map(message => message.role)).toEqual([
      'system',
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(new Set(messages.map(message => message.id)).size).toBe(CHAT.length)
    expect(messages.map(message => 'row' in message.at && message.at.row)).toEqual(ids)
    expect(messages.every(message => message.time === null)).toBe(true)
  })

  test('gives the same words twice where they were said twice', async () => {
    const { messages } = await readChat({ messages: [...CHAT, CHAT[2] ?? {}] })
    expect(messages.filter(message => message.role === 'user')).toHaveLength(2)
    expect(new Set(messages.map(message => message.id)).size).toBe(CHAT.length + 1)
  })

  test('may wrap its messages into protobuf', async () => {
    const wrapped = CHAT.map(message =>
      encodeProto([
        [1, 7],
        [2, 'a remark'],
        [3, encodeProto([[1, json(message)]])],
      ]),
    )
    const [plain, inside] = [await readChat({}), await readChat({ messages: wrapped })]
    expect(said(inside.messages)).toEqual(said(plain.messages))
  })

  test('shows images and files without their bytes, and results of the newer shape', async () => {
    const { messages } = await readChat({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', image: 'aGVsbG8=', mimeType: 'image/png' },
            { type: 'text', text: 'This' },
          ],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'error-text', value: 'no' } }],
        },
        { role: 'user', content: [{ type: 'file', data: 'https://example.org/a.pdf', filename: 'a.pdf' }] },
      ],
    })
    expect(messages.flatMap(message => message.parts)).toEqual([
      { type: 'file', name: null, mime: 'image/png', source: 'inline', reference: null },
      { type: 'text', text: 'This' },
      { type: 'tool-result', id: 'c', output: 'no', isError: true },
      { type: 'file', name: 'a.pdf', mime: null, source: 'url', reference: 'https://example.org/a.pdf' },
    ])
  })

  test('shows unknown records as such', async () => {
    const { messages, end } = await readChat({
      messages: [...CHAT, { role: 'oracle', content: 'x' }, Buffer.from([1, 2, 3])],
    })
    expect(end.counts.unknown).toBe(2)
    expect(end.type).toBe('complete')
    const recordTypes = messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === 'unknown' ? part.recordType : [])),
    )
    expect(recordTypes).toEqual(['oracle', 'blob'])
  })

  test('in which nothing was said yet is complete and empty', async () => {
    const { messages, end } = await readChat({ messages: [], facts: { latestRootBlobId: '' } }, made =>
      alter(made.file, 'DELETE FROM blobs'),
    )
    expect([messages.length, end.type]).toEqual([0, 'complete'])
  })
})

describe('the title', () => {
  test.each([
    ['the title of meta.json', {}, 'Cart discount'],
    [
      'the name in the store, where meta.json has none',
      { sidecar: { cwd: PROJECT }, facts: { name: 'Discounts' } },
      'Discounts',
    ],
    [
      'the prompt without its wrapper, where the name is a placeholder',
      { sidecar: { cwd: PROJECT } },
      'Add a discount to the cart',
    ],
  ])('is %s', async (_name, plan, title) => {
    expect((await readChat(plan)).end.facts.title).toBe(title)
  })

  test('is stripped of the wrapper, but the message is not', async () => {
    const { messages } = await readChat({})
    expect(messages[2]?.parts).toEqual([
      { type: 'text', text: '<user_query>\nAdd a discount to the cart\n</user_query>' },
    ])
  })
})

describe('without meta.json', () => {
  test.each([
    ['missing', null],
    ['empty', ''],
    ['garbage', '{"title": "Cart'],
  ])(
    '(%s) the chat is found and complete, and its folder is proved by the name of the store',
    async (_name, sidecar) => {
      const { messages, end } = await readChat({ sidecar })
      expect(conversation(messages)).toHaveLength(4)
      expect(end.type).toBe('complete')
      expect(end.findings.map(finding => [finding.damage, finding.severity])).toEqual([['lost-sidecar', 'survived']])
      expect(end.facts).toMatchObject({ title: 'Add a discount to the cart', project: PROJECT })
    },
  )
})

describe('the project without meta.json', () => {
  const says = (folder: string) => ({
    role: 'user',
    content: [{ type: 'text', text: `<user_info>\nWorkspace Path: ${folder}\n</user_info>` }],
  })
  const readNamed = (...folders: string[]) =>
    readChat({ sidecar: null, messages: folders.map(says), root: [[9, 'file:///home/dev/other']] })

  test('is the workspace path in the context whose MD5 is the name of the store', async () => {
    expect((await readNamed('/home/dev/elsewhere', PROJECT, '/home/dev/other')).end.facts.project).toBe(PROJECT)
  })

  test('is not known where no path has this MD5', async () => {
    expect((await readNamed('/home/dev/elsewhere')).end.facts.project).toBeUndefined()
  })
})

test('a call may have its input in "parameters"', async () => {
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'Read', parameters: { path: 'src/cart.ts' } }
  const { messages, end } = await readChat({ messages: [{ role: 'assistant', content: [call] }] })
  expect(messages[0]?.parts).toEqual([{ type: 'tool-call', id: 'c', name: 'Read', input: { path: 'src/cart.ts' } }])
  expect(end.counts.unknown).toBe(0)
})

describe('tables that are not known', () => {
  const newer = 'CREATE TABLE messages_v2 (id TEXT, body TEXT)'

  test('beside the known ones are a finding', async () => {
    const { messages, end } = await readChat({}, ({ file }) => {
      alter(file, newer)
      alter(file, "INSERT INTO messages_v2 VALUES ('m', 'Hello')")
    })
    expect(messages).toHaveLength(CHAT.length)
    expect(lost(end)).toMatchObject([{ damage: 'unknown-tables', text: expect.stringContaining('messages_v2') }])
  })

  test('in place of the known ones are an error, and the chat is listed', async () => {
    const reading = readChat({}, ({ file }) => {
      alter(file, 'DROP TABLE blobs')
      alter(file, 'DROP TABLE meta')
      alter(file, newer)
    })
    await expect(reading).rejects.toMatchObject({ code: 'not-a-session', hint: expect.stringContaining('.schema') })
  })
})

describe('a hole', () => {
  test('a missing blob is a finding at its row, and the rest is given', async () => {
    const { messages, end, ids, file } = await readChat({}, made =>
      alter(made.file, 'DELETE FROM blobs WHERE id = ?', made.ids[3] ?? ''),
    )
    expect(messages).toHaveLength(CHAT.length - 1)
    expect(end.type === 'partial' && end.error.code).toBe('records-unreadable')
    expect(lost(end).map(({ damage, at }) => [damage, at])).toEqual([
      ['missing-blob', { file, table: 'blobs', row: ids[3] }],
    ])
    expect(end.counts).toEqual({ records: CHAT.length - 1, bookkeeping: 0, unknown: 0, skipped: 1 })
  })

  test('a blob with a wrong hash that is not a message is left out', async () => {
    const { messages, end } = await readChat({}, made =>
      alter(made.file, 'UPDATE blobs SET data = ? WHERE id = ?', '{"role":"assis', made.ids[5] ?? ''),
    )
    expect(messages).toHaveLength(CHAT.length - 1)
    expect(lost(end).map(finding => finding.damage)).toEqual(['altered-blob'])
  })

  test('a blob with a wrong hash that still is a message is given, with a finding', async () => {
    const forged = json({ role: 'assistant', content: 'Altered' })
    const { messages, end } = await readChat({}, made =>
      alter(made.file, 'UPDATE blobs SET data = ? WHERE id = ?', forged, made.ids[5] ?? ''),
    )
    expect(messages).toHaveLength(CHAT.length)
    expect(said(messages).join()).toContain('Altered')
    expect(end.type).toBe('partial')
    expect(lost(end).map(finding => finding.damage)).toEqual(['altered-blob'])
  })
})

describe('a lost root', () => {
  const damages: [string, (made: ReturnType<typeof putChat>) => void, string][] = [
    ['missing', ({ file, root }) => alter(file, 'DELETE FROM blobs WHERE id = ?', root), 'missing-root'],
    ['emptied', ({ file, root }) => alter(file, "UPDATE blobs SET data = x'' WHERE id = ?", root), 'altered-root'],
    ['not named by the row of facts', ({ file }) => alter(file, "UPDATE meta SET value = 'zz'"), 'missing-root'],
    ['without a row of facts', ({ file }) => alter(file, 'DELETE FROM meta'), 'missing-root'],
  ]
  test.each(damages)('(%s) is replaced by the fullest other one', async (name, damage, expected) => {
    const { messages, end } = await readChat({ olderRoots: [2, 5, 3] }, damage)
    expect(messages).toHaveLength(name.startsWith('not') || name.startsWith('without') ? 6 : 5)
    expect(end.type).toBe('partial')
    expect(lost(end).map(finding => finding.damage)).toEqual([expected])
  })

  test('that was altered in one id still gives the most messages', async () => {
    const { messages, end } = await readChat({ olderRoots: [2] }, ({ file, ids, root }) => {
      const entries = ids.map((id, i): [number, Buffer] => [1, Buffer.from(i === 1 ? 'f'.repeat(64) : id, 'hex')])
      alter(file, 'UPDATE blobs SET data = ? WHERE id = ?', encodeProto(entries), root)
    })
    expect(messages).toHaveLength(5)
    expect(lost(end).map(finding => finding.damage)).toEqual(['altered-root', 'missing-blob'])
  })

  test('without any other leaves the messages as they were written', async () => {
    const { messages, end } = await readChat({}, ({ file, root }) =>
      alter(file, 'DELETE FROM blobs WHERE id = ?', root),
    )
    expect(messages).toHaveLength(CHAT.length)
    expect(lost(end)).toHaveLength(1)
  })
})

describe('the key of the blobs', () => {
  const damages: [string, (made: ReturnType<typeof putChat>) => void][] = [
    ['a whole chat', () => {}],
    ['a chat with holes', ({ file, ids }) => alter(file, 'DELETE FROM blobs WHERE id = ?', ids[2] ?? '')],
    ['a chat without a root', ({ file, root }) => alter(file, 'DELETE FROM blobs WHERE id = ?', root)],
    ['a row that is not JSON', ({ file }) => alter(file, "UPDATE meta SET value = value || '7d'")],
    ['a store without blobs', ({ file }) => alter(file, 'DROP TABLE blobs')],
  ]
  test.each(damages)('is in nothing that is found, read or thrown (%s)', async (_name, damage) => {
    const home = temporaryHome()
    damage(putChat(home, { id: ID }))
    const environment = environmentOf(home)
    const found = await discoverAll(cursor, environment)
    const session = await findSession(cursor, environment, ID)
    const outcome = await collect(readFrom(cursor, session)).catch(error => [
      error.message,
      error.hint,
      String(error.cause),
    ])
    const all = JSON.stringify([found, outcome])
    expect(all).not.toContain(SECRET_KEY)
    expect(all).not.toContain(Buffer.from(SECRET_KEY).toString('hex'))
    expect(all).not.toContain('blobEncryptionKey')
  })
})

describe('discovery', () => {
  const transcript = '{"role":"user","message":{"content":[{"type":"text","text":"Add a discount"}]}}\n'
  const found = async (home: string) => {
    const items = await discoverAll(cursor, environmentOf(home))
    const sessions = items.flatMap(item => (item.type === 'session' ? [item.session.generation] : []))
    const failures = items.flatMap(item => (item.type === 'failure' ? [item.failure.code] : []))
    return { sessions, failures }
  }
  const putBoth = (home: string) => {
    put(home, transcriptPlace(`${ID}/${ID}.jsonl`), transcript)
    return putChat(home, { id: ID }).file
  }

  test('lists a chat that also has a transcript once, by its store', async () => {
    const home = temporaryHome()
    putBoth(home)
    expect(await found(home)).toEqual({ sessions: ['cli'], failures: [] })
  })

  test.each<[string, (file: string) => void]>([
    ['empty', file => truncateSync(file, 0)],
    ['cut', file => truncateSync(file, 2048)],
    ['garbage', file => writeFileSync(file, Buffer.alloc(8192, 7))],
  ])('lists the transcript where the store is %s, and says what is wrong', async (_name, damage) => {
    const home = temporaryHome()
    damage(putBoth(home))
    expect(await found(home)).toEqual({ sessions: ['transcripts'], failures: ['database-corrupt'] })
  })

  test('lists the transcript where the store is gone', async () => {
    const home = temporaryHome()
    rmSync(putBoth(home))
    expect(await found(home)).toEqual({ sessions: ['transcripts'], failures: ['not-found'] })
  })

  test('lists a damaged store that has no transcript: reading it says what is wrong', async () => {
    const home = temporaryHome()
    truncateSync(putChat(home, { id: ID }).file, 2048)
    expect(await found(home)).toEqual({ sessions: ['cli'], failures: [] })
    const session = await findSession(cursor, environmentOf(home), ID)
    await expect(collect(readFrom(cursor, session))).rejects.toMatchObject({ code: 'database-corrupt' })
  })

  test('skips folders that never were a chat, and continues past a broken one', async () => {
    const home = temporaryHome()
    const { file } = putChat(home, { id: ID })
    mkdirSync(join(dirname(file), '..', 'empty'))
    put(home, '.cursor/chats/notes.txt', 'x')
    mkdirSync(join(dirname(file), '..', 'aaa', 'store.db'), { recursive: true })
    expect(await found(home)).toEqual({ sessions: ['cli'], failures: ['is-a-directory'] })
  })
})
