// Which folders a real server opens to clients: by where it was started, by its configuration, and by POST /api/folders.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../support/home.ts'
import { shareStage } from '../support/server.ts'

const stage = shareStage(home => {
  put(home, 'configured/a.txt', 'text')
  put(home, 'other/a.txt', 'text')
  put(home, '.config/rethread/config.json', '{"allowed_folders": ["~/configured"]}')
})

const read = async (folder: string) =>
  (await stage().ask(`/opencode/file/content?path=a.txt&directory=${encodeURIComponent(folder)}`)).status

test('those of the configuration, by their whole paths or from the home on', async () => {
  expect(await read(join(stage().home, 'configured'))).toBe(200)
  expect(await read(join(stage().home, 'other'))).toBe(403)
  put(
    stage().home,
    '.config/rethread/config.json',
    `{"allowed_folders": [${JSON.stringify(join(stage().home, 'other'))}]}`,
  )
  expect(await read(join(stage().home, 'other'))).toBe(200)
  expect(await read(join(stage().home, 'configured'))).toBe(403)
  put(stage().home, '.config/rethread/config.json', '{"allowed_folders": "all"}')
  const broken = await stage().ask('/opencode/file/content?path=a.txt&directory=/etc')
  expect(broken).toMatchObject({ status: 400, text: expect.stringContaining('allowed_folders') })
  put(stage().home, '.config/rethread/config.json', '{}')
})

test('the one it was started in, and one that a client with the token adds', async () => {
  expect((await stage().ask('/opencode/file/content?path=package.json')).status).toBe(200)
  const folder = join(stage().home, 'added')
  mkdirSync(folder)
  put(folder, 'a.txt', 'text')
  expect(await read(folder)).toBe(403)
  const answer = await stage().post('/api/folders', { folder })
  expect(answer).toMatchObject({ status: 200, text: JSON.stringify({ folder }) })
  expect(await read(folder)).toBe(200)
  for (const wrong of ['/etc/passwd', 'added', '/nowhere', '/a\0b', '', 7])
    expect((await stage().post('/api/folders', { folder: wrong })).status, String(wrong)).toBeOneOf([400, 404])
  expect((await stage().ask('/api/folders', { method: 'POST', body: '{}', token: undefined })).status).toBe(401)
})
