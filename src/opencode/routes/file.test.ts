import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { shareApi } from '../../../test/support/opencode-api.ts'

const api = shareApi({ allowed: [tmpdir()] })

function inFolder(path: string, folder: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}directory=${encodeURIComponent(folder)}`
}

test('files of the folder that is named are listed and read, those outside are refused', async () => {
  const home = temporaryHome()
  put(home, 'secret', 'x')
  put(home, 'in/a.txt', 'text')
  symlinkSync(join(home, 'secret'), join(home, 'in/link'))
  const folder = join(home, 'in')
  expect(await api().get(inFolder('/file?path=.', folder))).toMatchObject([{ name: 'a.txt' }, { name: 'link' }])
  expect(await api().get(inFolder('/file/content?path=a.txt', folder))).toMatchObject({ type: 'text', content: 'text' })
  expect(await api().call('GET', inFolder('/file/content?path=link', folder))).toMatchObject({
    status: 403,
    body: { name: 'ForbiddenError', errors: [{ message: expect.stringContaining('outside') }] },
  })
  expect(await api().call('GET', inFolder('/file/content?path=none', folder))).toMatchObject({ status: 404 })
  expect(await api().call('GET', inFolder('/file/content?path=../secret', folder))).toMatchObject({ status: 400 })
  expect(await api().call('GET', inFolder('/file/content', folder))).toMatchObject({ status: 400 })
  expect(await api().call('GET', inFolder('/file', join(home, 'none')))).toMatchObject({ status: 404 })
})

test('without a folder it is the one of the server, and with a session the one of the session', async () => {
  const home = temporaryHome()
  put(api().folder, 'own.txt', '')
  put(home, 'of-session.txt', '')
  const { id } = await api().post<{ id: string }>(inFolder('/session', home))
  expect(await api().get('/file')).toMatchObject([{ name: 'own.txt' }])
  expect(await api().get(`/file?sessionID=${id}`)).toMatchObject([{ name: 'of-session.txt' }])
  expect(await api().call('GET', '/file?sessionID=ses_none')).toMatchObject({ status: 404 })
})

test('text and files are found, and symbols are not pretended', async () => {
  const home = temporaryHome()
  put(home, 'src/deep/file.ts', 'needle\n')
  expect(await api().get(inFolder('/find?pattern=need', home))).toMatchObject([
    { path: { text: 'src/deep/file.ts' }, line_number: 1 },
  ])
  expect(await api().get(inFolder('/find/file?query=file', home))).toEqual(['src/deep/file.ts'])
  expect(await api().get(inFolder('/find/file?query=deep', home))).toEqual(['src/deep/', 'src/deep/file.ts'])
  expect(await api().get(inFolder('/find/file?query=deep&dirs=false', home))).toEqual(['src/deep/file.ts'])
  expect(await api().get(inFolder('/find/file?query=&type=directory&limit=1', home))).toEqual(['src/'])
  expect(await api().call('GET', inFolder('/find?pattern=(', home))).toMatchObject({ status: 400 })
  expect(await api().call('GET', inFolder('/find/file?query=a&limit=no', home))).toMatchObject({ status: 400 })
  expect(await api().call('GET', '/find/symbol?query=a')).toMatchObject({
    status: 501,
    body: { name: 'NotSupportedError' },
  })
})

test('changes are those of git, and none outside a repository', async () => {
  const home = temporaryHome()
  put(home, 'a.txt', 'one\n')
  expect(await api().get(inFolder('/file/status', home))).toEqual([])
  expect(await api().call('GET', inFolder('/vcs/status', home))).toMatchObject({ status: 501 })
  execFileSync('git', ['-C', home, 'init', '-b', 'main'], { stdio: 'ignore' })
  expect(await api().get(inFolder('/file/status', home))).toEqual([
    { path: 'a.txt', added: 1, removed: 0, status: 'added' },
  ])
  expect(await api().get(inFolder('/vcs/status', home))).toEqual([
    { file: 'a.txt', additions: 1, deletions: 0, status: 'added' },
  ])
  expect(await api().get(inFolder('/vcs/diff?mode=git', home))).toMatchObject([
    { file: 'a.txt', patch: expect.stringContaining('+one\n') },
  ])
  expect(await api().call('GET', inFolder('/vcs/diff?mode=branch', home))).toMatchObject({ status: 501 })
  expect(await api().call('POST', '/vcs/apply', { patch: '' })).toMatchObject({ status: 501 })
})
