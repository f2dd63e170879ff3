// What is refused before anything is touched.
import { existsSync, readdirSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { killWhen, quickHome } from '../../../test/support/faults.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import {
  append,
  edit,
  FIRST,
  LOG,
  LONG_AGO,
  patch,
  putSession,
  remove,
  type Session,
  text,
  write,
} from '../../../test/support/repairs.ts'
import { startWriter } from '../../../test/support/writer.ts'
import type { Change } from '../../model/plan.ts'
import { type Files, injectFiles, nodeFiles } from '../files/system-calls.ts'
import { applyChanges } from './apply.ts'
import { recoverInterrupted } from './recover.ts'

function inject(wrapped: Partial<Files>): void {
  onTestFinished(injectFiles({ ...nodeFiles, ...wrapped }))
}

const SAME_LENGTH = (file: string): Change => patch(file, edit(file, 'bbbb', 'aaaa'))
const LONGER = (file: string): Change => patch(file, edit(file, 'bbbb', 'longer'))

describe('a plan that no longer fits is refused, and nothing is changed:', () => {
  const CASES: [string, (session: Session) => unknown, string][] = [
    ['another file is there', ({ home, file }) => renameSync(put(home, 'agent/other', LOG), file), LOG],
    [
      'the bytes have changed',
      ({ file }) => writeFileSync(file, LOG.replace('bbbb', 'BBBB')),
      LOG.replace('bbbb', 'BBBB'),
    ],
    ['it is shorter', ({ file }) => truncateSync(file, FIRST.length), FIRST],
  ]
  test.each(CASES)('%s', async (_, happen, left) => {
    const session = putSession(temporaryHome())
    const request = session.request([SAME_LENGTH(session.file)])
    happen(session)
    await expect(applyChanges(request)).rejects.toMatchObject({ code: 'plan-outdated', path: session.file })
    expect(text(session.file)).toBe(left)
    expect(existsSync(join(session.state, 'vault'))).toBe(false)
  })

  test('it has grown, and the plan does not say which bytes it replaces', async () => {
    const { file, request } = putSession(temporaryHome())
    const { old: _, ...unknown } = edit(file, 'bbbb', 'aaaa')
    const planned = request([patch(file, unknown)])
    append(file, 'more\n')
    await expect(applyChanges(planned)).rejects.toMatchObject({ code: 'plan-outdated' })
    expect(text(file)).toBe(`${LOG}more\n`)
  })

  test('a file to be written is there already, one to be removed was written to', async () => {
    const { file, home, request } = putSession(temporaryHome())
    const fresh = join(home, 'agent/new.json')
    const plans = [request([write(fresh, '{}')]), request([remove(file)])]
    put(home, 'agent/new.json', 'somebody')
    append(file, 'more\n')
    for (const plan of plans) await expect(applyChanges(plan)).rejects.toMatchObject({ code: 'plan-outdated' })
    expect([text(fresh), text(file)]).toEqual(['somebody', `${LOG}more\n`])
  })
})

test('a file that has only grown since is repaired, and keeps what was added and its time', async () => {
  const { file, request } = putSession(temporaryHome())
  const planned = request([LONGER(file)])
  append(file, 'more\n')
  await applyChanges(planned)
  expect(text(file)).toBe(`${LOG.replace('bbbb', 'longer')}more\n`)
  expect(statSync(file).mtimeMs).toBeGreaterThan(LONG_AGO.getTime())
})

test('a plan that contradicts itself is a fault and is not begun', async () => {
  const { file, request, state } = putSession(temporaryHome())
  const twice = request([SAME_LENGTH(file), remove(file)])
  await expect(applyChanges(twice)).rejects.toThrow('two ways')
  const overlap = { start: 0, end: 5, bytes: Buffer.from('x'), damage: 'd', reason: 'r' }
  const unsorted = request([{ type: 'patch', file, edits: [overlap, { ...overlap, start: 4 }] }])
  await expect(applyChanges(unsorted)).rejects.toThrow('not in order')
  expect(existsSync(state)).toBe(false)
})

describe('before anything is touched it is refused', () => {
  test('where an earlier repair was interrupted and is not settled yet', async () => {
    const { file, request, state } = putSession(quickHome())
    const planned = request([LONGER(file)])
    // Right before the new file takes the place of the old one.
    const fault = killWhen((name, values) => name === 'rename' && values[1] === file)
    await expect(applyChanges(planned)).rejects.toThrow()
    fault.lift()
    await expect(applyChanges(planned)).rejects.toMatchObject({
      code: 'plan-outdated',
      message: expect.stringContaining('interrupted'),
    })
    await recoverInterrupted(state)
    await applyChanges(planned)
    expect(text(file)).toBe(LOG.replace('bbbb', 'longer'))
  })

  test('where our own folder cannot be written', async () => {
    const { home, file, request } = putSession(temporaryHome())
    const blocked = join(put(home, 'a-file', ''), 'state')
    await expect(applyChanges({ ...request([LONGER(file)]), state: blocked })).rejects.toMatchObject({
      path: expect.stringContaining(blocked),
    })
    const deny = () => {
      throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
    }
    inject({ makeFolder: deny })
    await expect(applyChanges(request([LONGER(file)]))).rejects.toMatchObject({ code: 'permission-denied' })
    expect(text(file)).toBe(LOG)
    expect(statSync(file).mtime).toEqual(LONG_AGO)
  })

  test('where there is not enough room for copies', async () => {
    const { file, request, state } = putSession(temporaryHome())
    inject({ space: () => 1000 })
    await expect(applyChanges(request([LONGER(file)]))).rejects.toMatchObject({ code: 'no-space' })
    expect(text(file)).toBe(LOG)
    expect(existsSync(join(state, 'vault'))).toBe(false)
  })

  test('where a copy turns out to differ from its original', async () => {
    const { file, request, state } = putSession(temporaryHome())
    inject({ clone: (_, to) => writeFileSync(to, LOG.replace('aaaa', 'AAAA'), { flag: 'wx' }) })
    await expect(applyChanges(request([LONGER(file)]))).rejects.toMatchObject({ code: 'plan-outdated' })
    expect(text(file)).toBe(LOG)
    expect(readdirSync(join(state, 'vault/some-agent/session-1'))).toEqual([])
  })

  test('where a database that is to be removed is open, if only for reading', async () => {
    const { file, request } = putSession(temporaryHome())
    const reader = startWriter(
      file,
      "import { openSync } from 'node:fs'; openSync(path, 'r'); say('open'); await next()",
    )
    await reader.heard()
    await expect(applyChanges(request([remove(file, true)]))).rejects.toMatchObject({ code: 'busy' })
    expect(text(file)).toBe(LOG)
    await applyChanges(request([remove(file)]))
    expect(existsSync(file)).toBe(false)
  })
})
