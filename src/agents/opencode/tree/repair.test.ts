import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { another, exported, putTree, STORAGE } from '../../../../test/support/opencode/made-sessions.ts'
import { findSession, readFrom } from '../../../../test/support/reading.ts'
import { parseObject } from '../../../bytes/json.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ParsedTreeFile } from '../../repair.ts'
import { timeOfId } from '../id-time.ts'
import { opencode } from '../index.ts'
import { repair } from './repair.ts'

const parsed = (session: SessionRef): ParsedTreeFile[] =>
  repair.files(session).map(file => {
    const bytes = readFileSync(file.file)
    return { ...file, bytes, value: parseObject(bytes) }
  })

async function makeTree(session = exported()) {
  const home = temporaryHome()
  const paths = putTree(home, session)
  return { home, paths, session: await findSession(opencode, environmentOf(home), session.info.id) }
}

const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const bytesOf = (rebuilt: object): Record<string, unknown> | undefined =>
  'bytes' in rebuilt && Buffer.isBuffer(rebuilt.bytes) ? parseObject(rebuilt.bytes) : undefined

describe('counting', () => {
  test('is the same as reading', async () => {
    const { session } = await makeTree()
    const { messages } = await collect(readFrom(opencode, session))
    expect(repair.countMessages(parsed(session))).toBe(messages.filter(isConversation).length)
  })

  test('leaves out what the person took back, as reading does', async () => {
    const whole = exported()
    whole.info['revert'] = { messageID: whole.messages[2]?.info.id }
    const { session } = await makeTree(whole)
    const { messages } = await collect(readFrom(opencode, session))
    expect(repair.countMessages(parsed(session))).toBe(messages.filter(isConversation).length)
    expect(messages.length).toBeLessThan(whole.messages.length)
  })
})

test('a file that lost what it needs, its id or its kind cannot be used', () => {
  const part = { file: 'x', role: 'part', id: 'prt_1' } as const
  const value = { id: 'prt_1', sessionID: 's', messageID: 'm', type: 'text', text: '' }
  expect(repair.refuses(part, value)).toBeUndefined()
  expect(repair.refuses(part, { ...value, id: 'prt_2' })).toMatch(/id/)
  expect(repair.refuses(part, { ...value, text: undefined })).toMatch(/text/)
  expect(repair.refuses(part, { ...value, type: 'te' })).toBeDefined()
  const state = { status: 'completed', input: {}, output: 'x' }
  expect(repair.refuses(part, { ...value, type: 'tool', callID: 'c', tool: 't', state })).toMatch(/state.time.end/)
})

describe('a message without its file', () => {
  test('of either role is restored, as far as other files allow', async () => {
    const { session, paths } = await makeTree()
    for (const path of paths.messages) {
      const before = jsonOf(path)
      const files = parsed(session).map(file =>
        file.file === path ? { ...file, bytes: Buffer.alloc(0), value: undefined } : file,
      )
      const lost = files.find(file => file.file === path)
      const rebuilt = lost === undefined ? undefined : bytesOf(repair.rebuildMessage(lost, files))
      const { role, parentID, modelID, providerID, agent = 'build', model, path: place } = before
      expect(rebuilt, path).toMatchObject(
        role === 'user' ? { role, agent, model } : { role, parentID, modelID, providerID, agent, path: place },
      )
    }
  })

  test('and without a part is not made up', async () => {
    const { session, paths } = await makeTree()
    rmSync(dirname(paths.parts[1]?.[0] ?? ''), { recursive: true })
    const files = parsed(session)
    const lost = files.find(file => file.file === paths.messages[1])
    expect(lost === undefined ? undefined : repair.rebuildMessage({ ...lost, value: undefined }, files)).toEqual({
      refused: 'no part of it is left',
    })
  })
})

describe('a session without its file', () => {
  test('is called by its first prompt, and is where its messages were', async () => {
    const { home, paths } = await makeTree()
    const before = jsonOf(paths.session)
    rmSync(paths.session)
    const session = await findSession(opencode, environmentOf(home), before.id)
    const rebuilt = repair.rebuildRoot(session, parsed(session))
    expect(rebuilt).toMatchObject({ file: paths.session })
    const { id, projectID, directory } = before
    expect(bytesOf(rebuilt)).toMatchObject({ id, projectID, directory, title: expect.any(String) })
    expect(bytesOf(rebuilt)?.['parentID']).toBeUndefined()
  })

  test('keeps the remains of the file', async () => {
    const { session, paths } = await makeTree()
    writeFileSync(
      paths.session,
      `{"id":"${session.sessionId}","slug":"swift-island","version":"1.1.65","projectID":"x","title":"Mine","ti`,
    )
    expect(bytesOf(repair.rebuildRoot(session, parsed(session)))).toMatchObject({
      slug: 'swift-island',
      version: '1.1.65',
      title: 'Mine',
    })
  })

  test('of a sub-agent stays one, as the call that started it names it', async () => {
    const { home, paths } = await makeTree()
    const child = another('ses_child')
    const childPaths = putTree(home, child)
    const call = paths.parts.flat().find(path => jsonOf(path).type === 'tool') ?? ''
    const value = jsonOf(call)
    writeFileSync(call, JSON.stringify({ ...value, state: { ...value.state, metadata: { sessionId: 'ses_child' } } }))
    rmSync(childPaths.session)
    const session = await findSession(opencode, environmentOf(home), 'ses_child')
    // The call was made before the first message of the sub-agent.
    const files = parsed(session).map(file => ({
      ...file,
      id: file.role === 'message' ? `msg_ffff${file.id}` : file.id,
    }))
    expect(bytesOf(repair.rebuildRoot(session, files))).toMatchObject({ parentID: exported().info.id })
  })

  test('in an unknown project is refused', async () => {
    const { home, paths } = await makeTree()
    const { id } = jsonOf(paths.session)
    rmSync(paths.session)
    rmSync(join(home, STORAGE, 'project'), { recursive: true })
    const session = await findSession(opencode, environmentOf(home), id)
    expect(repair.rebuildRoot(session, parsed(session))).toMatchObject({ refused: expect.stringContaining('project') })
  })
})

describe('a call that was never finished', () => {
  test.each([
    { status: 'pending', input: {}, raw: '{"comm' },
    { status: 'running', input: { command: 'ls' }, title: 'list', time: { start: 1794727807278 } },
  ])('and is still $status becomes an error that says so', async state => {
    const { session, paths } = await makeTree()
    const call = paths.parts.flat().find(path => jsonOf(path).type === 'tool') ?? ''
    writeFileSync(call, JSON.stringify({ ...jsonOf(call), state }, null, 2))
    const [found, ...more] = repair.findUnsettled?.(parsed(session)) ?? []
    expect(more).toEqual([])
    expect(found?.file).toBe(call)
    const bytes = readFileSync(call)
    const parts = (found?.edits ?? []).toReversed().reduce<Buffer>((whole, edit) => {
      return Buffer.concat([whole.subarray(0, edit.start), edit.bytes, whole.subarray(edit.end)])
    }, bytes)
    const settled = JSON.parse(parts.toString('utf8')).state
    const { status, time, ...rest } = state
    expect(settled).toMatchObject({ ...rest, status: 'error', error: expect.stringContaining('outcome is unknown') })
    expect(settled.time.end).toBe(settled.time.start)
    expect(settled.time.start).toBe(time?.start ?? settled.time.start)
    expect(settled.time.start).toBeGreaterThan(1e12)
  })

  test('in a healthy session there is none', async () => {
    const { session } = await makeTree()
    expect(repair.findUnsettled?.(parsed(session))).toEqual([])
  })
})

test('the time in an id is found again in any of its rounds', () => {
  const created = 1794727805041
  const clock = ((BigInt(created) * 4096n + 1n) & 0xffffffffffffn).toString(16).padStart(12, '0')
  expect(timeOfId(`msg_${clock}qBzEpoNPEjE9XM`, created + 5e9)).toBe(created)
  expect(timeOfId(`msg_${clock}qBzEpoNPEjE9XM`, created - 2 ** 36)).toBe(created - 2 ** 36)
  expect(timeOfId('ses_e21e2ffb8ffeFcRcXyGyxuHmGi', 1794727805041)).toBe(1794727805000 - 1)
  expect(timeOfId('mine', created)).toBeUndefined()
})

test('only files of the session itself are read', async () => {
  const { home, session } = await makeTree()
  put(home, `${STORAGE}/message/ses_other/msg_1.json`, '{')
  put(home, `${STORAGE}/part/msg_nowhere/prt_1.json`, '{')
  expect(parsed(session).every(file => file.value !== undefined)).toBe(true)
  expect(readdirSync(join(home, STORAGE, 'part'))).toContain('msg_nowhere')
})
