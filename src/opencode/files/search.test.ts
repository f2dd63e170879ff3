import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { MAX_MATCHES, MAX_SEARCHED_FILE_BYTES } from './limits.ts'
import { Searches } from './search.ts'
import { searchFolder } from './search-folder.ts'

test('a match says its line, its place in the file, and where in the line it is, in bytes', async () => {
  const home = temporaryHome()
  put(home, 'src/a.ts', 'first\nüber find und find\nlast')
  const { matches } = await searchFolder({ directory: home, pattern: 'f.nd' })
  expect(matches).toEqual([
    {
      path: { text: 'src/a.ts' },
      lines: { text: 'über find und find\n' },
      line_number: 2,
      absolute_offset: 6,
      submatches: [
        { match: { text: 'find' }, start: 6, end: 10 },
        { match: { text: 'find' }, start: 15, end: 19 },
      ],
    },
  ])
})

test('what is skipped is counted, and what lies outside is not searched', async () => {
  const home = temporaryHome()
  put(home, 'out/secret', 'needle')
  put(home, 'in/.gitignore', 'ignored')
  put(home, 'in/ignored', 'needle')
  put(home, 'in/binary', 'needle\0')
  put(home, 'in/large', 'needle')
  truncateSync(join(home, 'in/large'), MAX_SEARCHED_FILE_BYTES + 1)
  put(home, 'in/long', `${'x'.repeat(70_000)}needle\nneedle`)
  symlinkSync(join(home, 'out/secret'), join(home, 'in/link'))
  execFileSync('mkfifo', [join(home, 'in/pipe')])
  const { matches, leftOut } = await searchFolder({ directory: join(home, 'in'), pattern: 'needle' })
  expect(matches.map(({ path, line_number }) => `${path.text}:${line_number}`)).toEqual(['long:2'])
  expect(leftOut).toEqual({ skipped: { binary: 1, large: 1, 'long-line': 1 }, limits: [] })
})

test('a search ends at its limits and says at which', async () => {
  const home = temporaryHome()
  put(home, 'many', 'x\n'.repeat(MAX_MATCHES + 5))
  await expect(searchFolder({ directory: home, pattern: 'x' })).resolves.toMatchObject({
    matches: { length: MAX_MATCHES },
    leftOut: { limits: ['matches'] },
  })
  await expect(searchFolder({ directory: home, pattern: 'x', maxMs: -1 })).resolves.toMatchObject({
    leftOut: { limits: ['time'] },
  })
})

test('an empty match, a leading flag and a pattern that is none', async () => {
  const home = temporaryHome()
  put(home, 'a', 'ABC\n')
  const find = async (pattern: string) => (await searchFolder({ directory: home, pattern })).matches
  expect((await find('b*'))[0]?.submatches[0]).toEqual({ match: { text: '' }, start: 0, end: 0 })
  expect((await find('(?i)b'))[0]?.submatches[0]).toEqual({ match: { text: 'B' }, start: 1, end: 2 })
  await expect(find('(')).rejects.toMatchObject({ code: 'usage' })
})

test('a thread finds the same, and its errors keep their code', async () => {
  const home = temporaryHome()
  put(home, 'a', 'needle\n')
  const searches = new Searches()
  await expect(searches.find(home, 'need')).resolves.toEqual(await searchFolder({ directory: home, pattern: 'need' }))
  await expect(searches.find(join(home, 'none'), 'x')).rejects.toMatchObject({ code: 'outside-store' })
})

test('a pattern that never ends is ended, and the server goes on meanwhile', async () => {
  const home = temporaryHome()
  put(home, 'a', `${'a'.repeat(60)}b\n`)
  let turns = 0
  const counting = setInterval(() => turns++, 5)
  const error: unknown = await new Searches()
    .find(home, '^(a+)+$', { maxMs: 100, stuckMs: 300 })
    .catch((reason: unknown) => reason)
  clearInterval(counting)
  expect(error).toMatchObject({ code: 'timeout' })
  expect(turns).toBeGreaterThan(0)
})

test('a search whose caller has gone ends, and makes room for others', async () => {
  const home = temporaryHome()
  put(home, 'a', `${'a'.repeat(60)}b\n`)
  const searches = new Searches()
  const leaving = new AbortController()
  const all = Promise.allSettled([1, 2, 3].map(() => searches.find(home, '^(a+)+$', { signal: leaving.signal })))
  await expect(searches.find(home, 'a')).rejects.toMatchObject({ code: 'busy' })
  leaving.abort()
  expect(await all).toMatchObject(Array(3).fill({ status: 'rejected', reason: { code: 'stopped' } }))
  await expect(searches.find(home, 'b')).resolves.toMatchObject({ matches: { length: 1 } })
})
