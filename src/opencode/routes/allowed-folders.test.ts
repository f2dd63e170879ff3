// Clients reach the folders of conversations, of the server and of the configuration, and no others.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { shareApi } from '../../../test/support/opencode-api.ts'
import type { PtyWanted, TerminalHost } from '../terminal-host.ts'

const configured: string[] = []
const started: PtyWanted[] = []
const terminals: TerminalHost = {
  list: () => [],
  get: id => ({ id, title: '', command: '', args: [], cwd: '', status: 'running', pid: 1 }),
  create(wanted) {
    started.push(wanted)
    return { id: 'pty_1', title: '', command: '', args: [], cwd: wanted.cwd, status: 'running', pid: 1 }
  },
  update: id => terminals.get(id),
  remove: () => undefined,
  shells: () => [],
  issueTicket: () => ({ ticket: '', expires_in: 1 }),
  on: () => () => undefined,
}
const api = shareApi({ allowed: configured, api: { terminals } })

beforeEach(() => {
  configured.length = 0
  started.length = 0
})

/** Every route that reads a folder. */
const ROUTES = [
  ...['/file?path=.', '/file/content?path=shadow', '/file/status', '/find?pattern=root', '/find/file?query=passwd'],
  ...['/vcs', '/vcs/status', '/vcs/diff', '/vcs/diff/raw'],
]

async function ask(route: string, folder: string) {
  const directory = encodeURIComponent(folder)
  return await api().call('GET', `${route}${route.includes('?') ? '&' : '?'}directory=${directory}`)
}

async function statusesIn(folder: string): Promise<number[]> {
  const answers = await Promise.all(ROUTES.map(async route => (await ask(route, folder)).status))
  return [...new Set(answers)]
}

const begin = async (folder: string): Promise<string> =>
  (await api().post<{ id: string }>(`/session?directory=${encodeURIComponent(folder)}`)).id

/** With a repository in it, so that every route has something to say. */
function project(): string {
  const folder = join(temporaryHome(), 'project')
  put(folder, 'shadow', 'text')
  put(folder, 'sub/deep.txt', 'text')
  execFileSync('git', ['-C', folder, 'init', '-b', 'main'], { stdio: 'ignore' })
  for (const args of [
    ['add', '.'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'one'],
  ])
    execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
  return folder
}

describe('a folder that is not allowed', () => {
  test.each(ROUTES)('is refused by %s, with what to do about it', async route => {
    const { status, body } = await ask(route, '/etc')
    expect(status).toBe(403)
    expect(body).toMatchObject({
      name: 'ForbiddenError',
      data: { hint: expect.stringMatching(/session.*allowed_folders/) },
    })
    expect(JSON.stringify(body)).not.toContain('root:')
  })

  test('is refused whether or not it is there, and however it is written', async () => {
    const home = temporaryHome()
    mkdirSync(join(home, 'there'))
    for (const folder of [
      join(home, 'there'),
      join(home, 'none'),
      '/',
      '/etc/',
      '//etc',
      '/tmp/../etc',
      `${api().folder}/../..`,
    ])
      expect(await statusesIn(folder), folder).toEqual([403])
  })

  test('is refused for terminals, as the folder of the call and as the one to run in', async () => {
    expect(await api().call('POST', '/pty?directory=/etc', {})).toMatchObject({ status: 403 })
    expect(await api().call('POST', '/pty', { cwd: '/etc' })).toMatchObject({ status: 403 })
    expect(await api().call('POST', '/pty', { cwd: 'etc' })).toMatchObject({ status: 403 })
    expect(started).toEqual([])
    await api().post('/pty', { cwd: api().folder })
    expect(started).toHaveLength(1)
  })

  test('is not read where a client only says that it works there', async () => {
    const folder = project()
    const named = encodeURIComponent(join(folder, 'sub'))
    expect(await api().get(`/path?directory=${named}`)).toMatchObject({ worktree: join(folder, 'sub') })
    const current = await api().get(`/project/current?directory=${named}`)
    expect(current).toMatchObject({ worktree: join(folder, 'sub') })
    expect(current).not.toHaveProperty('vcs')
    await begin(folder)
    expect(await api().get(`/path?directory=${named}`)).toMatchObject({ worktree: folder })
    expect(await api().get(`/project/current?directory=${named}`)).toMatchObject({ worktree: folder, vcs: 'git' })
  })
})

describe('a folder with a conversation', () => {
  test('is open with all that is below it, and nothing beside or above it is', async () => {
    const folder = project()
    const beside = `${folder}-beside`
    put(beside, 'shadow', 'secret')
    expect(await statusesIn(folder)).toEqual([403])
    const id = await begin(folder)
    expect((await statusesIn(folder)).sort()).toEqual([200])
    expect(await ask('/file?path=.', join(folder, 'sub'))).toMatchObject({ status: 200, body: [{ name: 'deep.txt' }] })
    expect(await statusesIn(beside)).toEqual([403])
    expect(await statusesIn(join(folder, '..'))).toEqual([403])
    await api().call('DELETE', `/session/${id}`)
    expect(await statusesIn(folder)).toEqual([403])
  })

  test('is the same under another name that leads there, and a link out of it leads nowhere', async () => {
    const folder = project()
    const link = join(temporaryHome(), 'link')
    symlinkSync(folder, link)
    symlinkSync('/etc', join(folder, 'out'))
    symlinkSync('..', join(folder, 'up'))
    await begin(link)
    expect(await statusesIn(folder)).toEqual([200])
    expect(await statusesIn(link)).toEqual([200])
    for (const out of ['out', 'up', 'sub/../out']) {
      expect(await statusesIn(join(folder, out)), out).toEqual([403])
      expect((await ask(`/file/content?path=${out}/shadow`, folder)).status, out).toBeOneOf([400, 403])
      expect((await ask(`/file?path=${out}`, folder)).status, out).toBeOneOf([400, 403])
    }
  })

  test('at the root of the disk, or above the home folders, opens nothing', async () => {
    for (const wide of ['/', '/home']) await begin(wide)
    for (const folder of ['/', '/etc', '/home', '/home/other']) expect(await statusesIn(folder), folder).toEqual([403])
  })
})

test('a folder of the configuration is open as soon as it is written there, also the whole disk', async () => {
  const folder = project()
  configured.push(folder)
  expect(await statusesIn(folder)).toEqual([200])
  configured.length = 0
  expect(await statusesIn(folder)).toEqual([403])
  configured.push('/')
  expect(await ask('/file?path=.', '/etc')).toMatchObject({ status: 200 })
})
