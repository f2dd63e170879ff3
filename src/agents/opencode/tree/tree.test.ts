import { renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import type { Exported, TreePaths } from '../../../../test/support/opencode/made-sessions.ts'
import { another, exported, putTree, STORAGE } from '../../../../test/support/opencode/made-sessions.ts'
import {
  discoverAll,
  findSession,
  identitiesOf,
  readFrom,
  readNamed,
  recognisedBy,
  said,
} from '../../../../test/support/reading.ts'
import type { Files } from '../../../disk/files/system-calls.ts'
import { injectFiles, nodeFiles } from '../../../disk/files/system-calls.ts'
import { collect } from '../../../model/reading.ts'
import { opencode } from '../index.ts'

const SESSION = exported().info.id

describe('a tree with damage', () => {
  test.each(['cut', 'empty'])(
    'a part file that is %s is named in a finding, and everything else is read',
    async how => {
      const { home, paths, whole } = await make()
      const file = paths.parts[1]?.[2] ?? ''
      truncateSync(file, how === 'cut' ? 40 : 0)
      const { messages, end } = await readOne(home)
      expect(said(messages)).toEqual(said(whole).filter(line => !line.includes('call_01')))
      expect(end).toMatchObject({
        type: 'partial',
        error: { code: 'records-unreadable' },
        recovered: true,
        counts: { skipped: 1 },
        findings: [
          { damage: 'malformed-record', severity: 'lost', at: { file, start: 0, end: how === 'cut' ? 40 : 0 } },
        ],
      })
      expect(end.findings[0]?.text).toContain(file)
    },
  )

  test('of a message file that is cut, the parts are still read', async () => {
    const { home, paths, whole } = await make()
    for (const file of paths.messages) truncateSync(file, 30)
    const { messages, end } = await readOne(home)
    const withoutModel = whole.map(({ model: _, usage: __, ...message }) => message)
    expect(messages.map(({ role, parts }) => ({ role, parts }))).toEqual(
      withoutModel.map(({ role, parts }) => ({ role, parts })),
    )
    expect(end.findings.map(({ at }) => 'file' in at && at.file)).toEqual(paths.messages)
  })

  test('a message file that is cut and has no parts is only a finding', async () => {
    const { home, paths } = await make()
    truncateSync(paths.messages[3] ?? '', 30)
    rmSync(dirname(paths.parts[3]?.[0] ?? ''), { recursive: true })
    const { messages, end } = await readOne(home)
    expect(messages).toHaveLength(3)
    expect(end).toMatchObject({ type: 'partial', counts: { skipped: 1 } })
  })

  test('of a session file that is cut, the conversation is read, with a title and a folder from its messages', async () => {
    const { home, paths, whole } = await make()
    truncateSync(paths.session, 100)
    const { messages, end, session } = await readOne(home)
    expect(said(messages)).toEqual(said(whole))
    expect(session.title).toBeUndefined()
    expect(end.facts).toMatchObject({ title: 'Please add a price field to the cart', project: '/home/dev/shop' })
    expect(end).toMatchObject({ type: 'partial', findings: [{ at: { file: paths.session } }] })
  })

  test('a session whose file is gone is found by its messages', async () => {
    const { home, paths, whole } = await make()
    rmSync(paths.session)
    const { messages, end, session } = await readOne(home)
    expect(session).toMatchObject({ filePath: dirname(paths.messages[0] ?? ''), messageCount: 4 })
    expect(said(messages)).toEqual(said(whole))
    expect(end).toMatchObject({
      type: 'partial',
      findings: [{ damage: 'lost-header' }],
      facts: { title: 'Please add a price field to the cart', project: '/home/dev/shop' },
    })
  })

  test('the empty folders of a deleted session are not a session', async () => {
    const { home, paths } = await make()
    rmSync(paths.session)
    for (const file of paths.messages) rmSync(file)
    expect(await discoverAll(opencode, environmentOf(home))).toEqual([])
  })

  test('a session that is gone altogether is "not-found"', async () => {
    const { home, paths } = await make()
    const session = await findSession(opencode, environmentOf(home), SESSION)
    rmSync(paths.session)
    rmSync(dirname(paths.messages[0] ?? ''), { recursive: true })
    await expect(collect(readFrom(opencode, session))).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a file that vanishes between listing and opening makes the reading partial, not wrong', async () => {
    const { home, paths, whole } = await make()
    const file = paths.parts[3]?.[0] ?? ''
    wrapFiles({
      list: path => {
        const entries = nodeFiles.list(path)
        if (path === dirname(file)) rmSync(file)
        return entries
      },
    })
    const session = await findSession(opencode, environmentOf(home), SESSION)
    put(home, file.slice(home.length), '{"type":"text","text":"here again"}')
    const { messages, end } = await collect(readFrom(opencode, session))
    expect(said(messages)).toEqual(said(whole).slice(0, -1))
    expect(end).toMatchObject({
      type: 'partial',
      error: { code: 'still-being-written' },
      findings: [{ damage: 'vanished-record', severity: 'updating', at: { file } }],
    })
  })

  test.each(['message', 'part'])('no permission for the folder of a %s is thrown', async kind => {
    const { home, paths } = await make()
    const session = await findSession(opencode, environmentOf(home), SESSION)
    const folder = dirname((kind === 'message' ? paths.messages[0] : paths.parts[0]?.[0]) ?? '')
    wrapFiles({ list: path => (path === folder ? refuse() : nodeFiles.list(path)) })
    await expect(collect(readFrom(opencode, session))).rejects.toMatchObject({
      code: 'permission-denied',
      path: folder,
    })
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'failure', failure: { code: 'permission-denied', path: folder } },
    ])
  })

  test('a folder that leads out of the store is a failure, and is not followed', async () => {
    const { home } = await make()
    const target = join(temporaryHome(), 'session')
    renameSync(join(home, STORAGE, 'session'), target)
    symlinkSync(target, join(home, STORAGE, 'session'))
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'failure', failure: { code: 'outside-store', path: join(home, STORAGE, 'session') } },
    ])
  })

  test('a project that cannot be listed is a failure, and its sessions are not taken for lost ones', async () => {
    const { home, paths } = await make()
    putTree(home, another('ses_other', { projectID: 'second' }))
    wrapFiles({ list: path => (path === dirname(paths.session) ? refuse() : nodeFiles.list(path)) })
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'session', session: { sessionId: 'ses_other' } },
      { type: 'failure', failure: { code: 'permission-denied', path: dirname(paths.session) } },
    ])
  })
})

describe('the facts of a session in the tree', () => {
  test('without a folder of its own, it has the worktree of its project', async () => {
    const session = exported()
    const { directory: _, ...info } = session.info
    const home = temporaryHome()
    putTree(home, { info, messages: session.messages.slice(3) } as Exported)
    expect((await readOne(home)).end.facts.project).toBe('/home/dev/shop')
  })

  test('a part that is rewritten in place changes the identity of its session alone', async () => {
    const { home, paths } = await make()
    putTree(home, another('ses_other'))
    const before = await identities(home)
    const file = paths.parts[2]?.[0] ?? ''
    const { size, atime, mtime } = statSync(file)
    writeFileSync(file, ' '.repeat(size))
    utimesSync(file, atime, new Date(mtime.getTime() + 1))
    const after = await identities(home)
    expect(after[SESSION]).not.toBe(before[SESSION])
    expect(after['ses_other']).toBe(before['ses_other'])
  })

  test('a session with a reverted branch has its number of messages only from reading', async () => {
    const home = temporaryHome()
    const session = exported()
    session.info['revert'] = { messageID: session.messages[3]?.info.id }
    putTree(home, session)
    const read = await readOne(home)
    expect(read.session.messageCount).toBeUndefined()
    expect(read.messages).toHaveLength(3)
  })

  test('messages from before and after the clock in their ids started over come in the order of time', async () => {
    const home = temporaryHome()
    const session = exported()
    const clocks = ['fffffffff001', 'fffffffff002', '000000001001', '000000002001']
    session.messages.forEach(({ info }, index) => {
      info.id = `msg_${clocks[index]}AaaaAaaaAaaa01`
    })
    putTree(home, session)
    const { messages } = await readOne(home)
    expect(messages.map(message => message.id)).toEqual(session.messages.map(({ info }) => info.id))
  })

  test('a copy of the tree in another folder is read by the file of a session', async () => {
    const home = temporaryHome()
    const paths = putTree(home, exported(), 'backup/storage')
    const adopted = recognisedBy(opencode, paths.session, Buffer.from(JSON.stringify(exported().info)))
    expect(adopted).toEqual({ sessionId: SESSION, generation: 'tree' })
    const at = { agent: 'opencode', filePath: paths.session, storeRoot: dirname(paths.session) }
    const ref = { ...at, sessionId: SESSION, generation: 'tree', updatedAt: 0, fileSize: 0, identity: '' }
    const { messages, end } = await collect(readFrom(opencode, ref))
    expect(end.type).toBe('complete')
    expect(messages).toHaveLength(4)
    expect(recognisedBy(opencode, '/x/session/p/notes.json', Buffer.from('{}'))).toBeUndefined()
    expect(recognisedBy(opencode, '/x/opencode.db', Buffer.from('SQLite format 3\0'))).toBeUndefined()
  })

  test('files that are not records are skipped', async () => {
    const { home, whole } = await make()
    put(home, join(STORAGE, 'message', SESSION, '.DS_Store'), 'x')
    put(home, join(STORAGE, 'migration'), '2')
    expect(said((await readOne(home)).messages)).toEqual(said(whole))
  })
})

async function make(): Promise<{
  home: string
  paths: TreePaths
  whole: Awaited<ReturnType<typeof readOne>>['messages']
}> {
  const home = temporaryHome()
  const paths = putTree(home, exported())
  return { home, paths, whole: (await readOne(home)).messages }
}

const readOne = (home: string) => readNamed(opencode, environmentOf(home), SESSION)
const identities = (home: string) => identitiesOf(opencode, environmentOf(home))

function wrapFiles(wrapped: Partial<Files>): void {
  onTestFinished(injectFiles({ ...nodeFiles, ...wrapped }))
}

function refuse(): never {
  throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
}
