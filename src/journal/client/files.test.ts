// Text files as an agent asks for them.
import { mkdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { sampleAgent } from '../../../test/support/journal/requests.ts'
import { makeClientSide } from './index.ts'
import { MAX_TEXT_BYTES } from './limits.ts'

function stage() {
  const home = temporaryHome()
  const folder = join(home, 'shop')
  mkdirSync(folder)
  const client = makeClientSide({ foldersOf: async () => [folder] })
  return { home, folder, client, agent: sampleAgent(client, 'one') }
}

const refused = (code: number, text: string) =>
  expect.objectContaining({ name: 'RequestError', code, message: expect.stringContaining(text) })

describe('reading', () => {
  test.each([
    ['all of it', {}, 'one\ntwo\r\nthree\u2028still\nfour'],
    ['from a line on', { line: 3 }, 'three\u2028still\nfour'],
    ['so many lines', { limit: 2 }, 'one\ntwo\r\n'],
    ['so many lines from one on', { line: 2, limit: 1 }, 'two\r\n'],
    ['more lines than there are', { line: 4, limit: 100 }, 'four'],
    ['no line', { line: 2, limit: 0 }, ''],
    ['line 0, which is the first', { line: 0, limit: 1 }, 'one\n'],
    ['nothing given as null', { line: null, limit: null }, 'one\ntwo\r\nthree\u2028still\nfour'],
  ])('gives %s', async (_what, range, content) => {
    const { folder, agent } = stage()
    const path = put(folder, 'a.txt', 'one\ntwo\r\nthree\u2028still\nfour')
    expect(await agent.ask('fs/read_text_file', { path, ...range })).toEqual({ content })
  })

  test('keeps a byte order mark, and an empty file is empty', async () => {
    const { folder, agent } = stage()
    const marked = put(folder, 'bom.txt', Buffer.from([0xef, 0xbb, 0xbf, 0x61]))
    expect(await agent.ask('fs/read_text_file', { path: marked })).toEqual({ content: '\uFEFFa' })
    const empty = put(folder, 'empty', '')
    expect(await agent.ask('fs/read_text_file', { path: empty, line: 1 })).toEqual({ content: '' })
  })

  test('says so where a line, the text or the file is not there', async () => {
    const { folder, agent } = stage()
    const short = put(folder, 'short', 'one\ntwo\n')
    expect(await agent.ask('fs/read_text_file', { path: short, line: 3 })).toEqual({ content: '' })
    await expect(agent.ask('fs/read_text_file', { path: short, line: 4 })).rejects.toEqual(refused(-32602, '3 lines'))
    const binary = put(folder, 'binary', Buffer.from([0x61, 0xff, 0x0a]))
    await expect(agent.ask('fs/read_text_file', { path: binary })).rejects.toEqual(refused(-32602, 'UTF-8'))
    const gone = join(folder, 'gone')
    await expect(agent.ask('fs/read_text_file', { path: gone })).rejects.toEqual(refused(-32002, gone))
    await expect(agent.ask('fs/read_text_file', { path: short, line: -1 })).rejects.toEqual(refused(-32602, 'line'))
    await expect(agent.ask('fs/read_text_file', {})).rejects.toEqual(refused(-32602, 'path'))
  })

  test('refuses a file that is too long, and still gives lines of it', async () => {
    const { folder, agent } = stage()
    const path = put(folder, 'long', 'first\nsecond\n')
    truncateSync(path, MAX_TEXT_BYTES + 1)
    await expect(agent.ask('fs/read_text_file', { path })).rejects.toEqual(refused(-32602, String(MAX_TEXT_BYTES)))
    expect(await agent.ask('fs/read_text_file', { path, line: 2, limit: 1 })).toEqual({ content: 'second\n' })
  })
})

describe('writing', () => {
  test('makes the file and its folders, and reads back the same', async () => {
    const { folder, agent } = stage()
    const path = join(folder, 'new/deep/a.txt')
    const content = '\uFEFFüber\r\n\u{1F9F5}'
    expect(await agent.ask('fs/write_text_file', { path, content })).toEqual({})
    expect(readFileSync(path)).toEqual(Buffer.from(content))
    expect(await agent.ask('fs/read_text_file', { path })).toEqual({ content })
  })

  test('refuses half a character and long content, and leaves the file unchanged', async () => {
    const { folder, agent } = stage()
    const path = put(folder, 'a.txt', 'old')
    for (const content of ['\ud800', 'x'.repeat(MAX_TEXT_BYTES + 1)])
      await expect(agent.ask('fs/write_text_file', { path, content })).rejects.toEqual(refused(-32602, path))
    expect(readFileSync(path, 'utf8')).toBe('old')
  })

  test('does nothing for a request that was taken back, or a session that was released, meanwhile', async () => {
    const { folder } = stage()
    const path = put(folder, 'a.txt', 'old')
    const lookup = Promise.withResolvers<string[]>()
    const client = makeClientSide({ foldersOf: () => lookup.promise })
    const agent = sampleAgent(client, 'one')
    const controller = new AbortController()
    const params = { path, content: 'new' }
    const writes = [
      agent.ask('fs/write_text_file', params, { signal: controller.signal }),
      agent.ask('fs/write_text_file', params),
    ]
    controller.abort()
    const released = client.release('one')
    lookup.resolve([folder])
    for (const write of writes) await expect(write).rejects.toEqual(refused(-32800, 'cancelled'))
    await released
    expect(readFileSync(path, 'utf8')).toBe('old')
  })
})

test('a path outside is refused, and the error names the folders', async () => {
  const { home, folder, agent } = stage()
  const path = put(home, 'secret', 'a secret')
  symlinkSync(home, join(folder, 'out'))
  for (const one of [path, join(folder, 'out/secret'), `${folder}/../secret`, 'a.txt', `${folder}/a\0b`]) {
    await expect(agent.ask('fs/read_text_file', { path: one })).rejects.toEqual(refused(-32602, folder))
    await expect(agent.ask('fs/write_text_file', { path: one, content: 'x' })).rejects.toEqual(refused(-32602, folder))
  }
  expect(readFileSync(path, 'utf8')).toBe('a secret')
})
