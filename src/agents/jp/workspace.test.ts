// A workspace as the sanitizer sees it: its roots, its conversations, the copy that JP reads, and the lock of JP.
import { spawn } from 'node:child_process'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { ID, putConversation, putWorkspace, SILO, WHOLE, WORKSPACE_ID } from '../../../test/support/jp/store.ts'
import { classifyConversation } from './classify/index.ts'
import { listConversations, resolveMetadata, resolveStream } from './conversations.ts'
import { holdLock, lockPath, testLock } from './lock.ts'
import { makeRoot, openWorkspace, type Workspace } from './roots.ts'

function open(home: string): Workspace {
  const workspace = openWorkspace(join(home, 'shop'), environmentOf(home))
  if (workspace === undefined) throw new Error('no workspace')
  return workspace
}

test('a workspace is opened from below, with all of its storage', () => {
  const home = temporaryHome()
  const folder = putWorkspace(home)
  put(home, 'shop/src/a.ts', '')
  put(home, `.local/share/jp/workspace/${WORKSPACE_ID}/config.toml`, '')
  put(home, '.local/share/jp/workspace/other-zzzzz/config.toml', '')
  putConversation(home)
  const workspace = openWorkspace(join(folder, 'src'), environmentOf(home))
  expect(workspace).toEqual({
    id: WORKSPACE_ID,
    folder,
    roots: [
      makeRoot('user-local', join(home, '.local/share/jp/workspace', WORKSPACE_ID)),
      makeRoot('user-local', join(home, SILO)),
      makeRoot('workspace', join(folder, '.jp')),
    ],
  })
  expect(openWorkspace(home, environmentOf(home))).toBeUndefined()
})

test('a workspace whose id is lost has none of its user-local storage', () => {
  const home = temporaryHome()
  putWorkspace(home)
  putConversation(home)
  put(home, 'shop/.jp/.id', 'garbage')
  expect(open(home)).toMatchObject({ id: undefined, roots: [{ kind: 'workspace' }] })
})

test('both copies of a conversation are classified, with the one that JP reads', () => {
  const home = temporaryHome()
  const folder = putWorkspace(home, { ...WHOLE, 'metadata.json': '{' })
  const local = putConversation(home)
  for (const name of ['events.json', 'base_config.json', 'metadata.json']) utimesSync(join(local, name), 1000, 1000)
  const { conversations, failures } = listConversations(open(home))
  expect(failures).toEqual([])
  expect(conversations.map(({ sessionId, folders }) => [sessionId, folders.length])).toEqual([[`jp-c${ID}`, 2]])
  const [conversation] = conversations
  const state = conversation === undefined ? undefined : classifyConversation(conversation, { workspace: open(home) })
  expect(state?.isHealthy).toBe(false)
  expect(state?.copies.map(({ judgement }) => judgement.type)).toEqual(['loads', 'trashed'])
  // The broken copy is the newer one, and shadows the good one.
  expect(state?.chosen.metadata?.folder.root.path).toBe(join(folder, '.jp'))
  expect(state?.chosen.stream?.folder.root.path).toBe(join(folder, '.jp'))
  expect(state?.lock).toEqual({ type: 'free' })
})

test('two folders of one id in one root are two conversations, as JP finds only the first', () => {
  const home = temporaryHome()
  putWorkspace(home, WHOLE, `${ID}-a`)
  putWorkspace(home, WHOLE, `${ID}-b`)
  expect(listConversations(open(home)).conversations.map(({ sessionId }) => sessionId)).toEqual([
    `jp-c${ID}`,
    `${ID}-b`,
  ])
})

test('the newer copy counts, the stream by its younger file, and of equals the user-local one', () => {
  const own = { root: makeRoot('workspace', 'w'), metadata: 5n, baseConfig: 1n, events: 4n }
  const local = { root: makeRoot('user-local', 'l'), metadata: 5n, baseConfig: 9n, events: 2n }
  expect(resolveMetadata([own, local])).toBe(local)
  expect(resolveStream([own, local])).toBe(local)
  expect(resolveStream([own, { ...local, baseConfig: undefined }])).toBe(own)
  expect(resolveStream([{ ...own, events: undefined }])).toBeUndefined()
})

test.runIf(process.platform === 'linux' && existsSync('/usr/bin/flock'))(
  'a JP that is at work is seen by its lock',
  async () => {
    const home = temporaryHome()
    putWorkspace(home)
    putConversation(home)
    const workspace = open(home)
    const path = lockPath(workspace, ID) ?? ''
    expect(path).toBe(join(home, SILO, 'locks', `jp-c${ID}.lock`))
    put(home, `${SILO}/locks/jp-c${ID}.lock`, '{"pid":1,"acquired_at":"2026-07-19T14:30:00.000+00:00"}')
    expect(testLock(workspace, ID)).toEqual({ type: 'free' })
    const child = spawn('flock', ['-x', '--no-fork', path, 'sh', '-c', 'echo ready; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill())
    await new Promise(resolve => child.stdout.once('data', resolve))
    // The number in the file is one of earlier.
    expect(testLock(workspace, ID)).toEqual({ type: 'held', pid: child.pid, isJp: false })
    writeFileSync(path, JSON.stringify({ pid: child.pid }))
    expect(testLock(workspace, ID)).toEqual({ type: 'held', pid: child.pid, isJp: true })
    expect(() => holdLock(workspace, ID)).toThrow(expect.objectContaining({ code: 'locked' }))
  },
)
