// The trash is JP's own: what JP has put there comes back, and what we put there JP would have put there too.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { put } from '../../../../test/support/home.ts'
import { json, linesOf, NAME, person, placeIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { putFiles, SILO, WHOLE } from '../../../../test/support/jp/store.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { sanitizer } from '../sanitize/index.ts'

const CONVERSATIONS = 'shop/.jp/conversations'
const CUT = '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim'
/** As JP words it. */
const NOTE = `# Trashed Conversation

This conversation was moved to trash because it failed validation.

**Error:** metadata.json: EOF while parsing a string at line 1 column 16
**Date:** 2026-08-22T10:00:00Z

You can inspect the files in this directory to recover data.
To restore the conversation, fix the error and move it back.
`

function restore(home: string, name: string, salvage = false) {
  return sanitizer.trash.restore({ ...placeIn(home), name, decide: makeSilentDecider(), salvage })
}

/** Moved there by JP, with the note that it writes. */
function trashByJp(home: string, folder: string, name = NAME): string {
  const target = join(home, CONVERSATIONS, '.trash', name)
  mkdirSync(join(home, CONVERSATIONS, '.trash'), { recursive: true })
  renameSync(folder, target)
  put(target, 'TRASHED.md', NOTE)
  return target
}

describe('a conversation that JP itself has trashed', () => {
  test('is listed with JP’s own words, repaired, and brought back under its name, without the note', async () => {
    const home = quickHome()
    const folder = putOne(home, { 'metadata.json': '{"title":"Price field in the cart","pin' })
    const target = trashByJp(home, folder)
    expect(await sanitizer.trash.list(placeIn(home))).toMatchObject([
      {
        name: NAME,
        error: 'metadata.json: EOF while parsing a string at line 1 column 16',
        trashedAt: '2026-08-22T10:00:00Z',
        isOurs: false,
      },
    ])
    const { repaired, lockedOut } = await restore(home, NAME)
    expect(lockedOut).toEqual([])
    expect(repaired.map(({ file }) => file)).toEqual(['metadata.json', undefined])
    expect(json(join(folder, 'metadata.json'))).toMatchObject({ title: 'Price field in the cart' })
    expect([existsSync(target), existsSync(join(folder, 'TRASHED.md'))]).toEqual([false, false])
    expect([...treeOf(join(home, 'state')).values()]).toContain(Buffer.from(NOTE).toString('latin1'))
    expect(linesOf(await run(home))).toEqual([])
  })

  test.each([
    ['in the same storage', `${CONVERSATIONS}/17935272000-another-title`],
    ['in the other storage', `${SILO}/conversations/17935272000`],
    ['in the archive', `${CONVERSATIONS}/.archive/${NAME}`],
  ])('stays there while its id lives again %s, and nothing of it is touched', async (_, place) => {
    const home = quickHome()
    trashByJp(home, putOne(home, { 'metadata.json': '{' }))
    putFiles(home, place, WHOLE)
    const before = treeOf(join(home, CONVERSATIONS))
    await expect(restore(home, NAME)).rejects.toMatchObject({ code: 'unsupported' })
    expect(treeOf(join(home, CONVERSATIONS))).toEqual(before)
  })
})

test('a second one of the same name gets a number, as JP gives it, and comes back under its own name', async () => {
  const home = quickHome()
  trashByJp(home, putOne(home))
  putOne(home, { 'events.json': CUT })
  const { trashed } = await run(home)
  expect(trashed).toMatchObject([{ target: join(home, CONVERSATIONS, '.trash', `${NAME}-1`) }])
  await restore(home, `${NAME}-1`, true)
  expect(readFileSync(join(home, CONVERSATIONS, NAME, 'events.json'), 'utf8')).toContain('turn_start')
  expect(existsSync(join(home, CONVERSATIONS, '.trash', NAME))).toBe(true)
})

test('what is trashed from both storages comes back to both', async () => {
  const home = quickHome()
  const { own, local } = putBoth(home, { 'events.json': CUT }, { 'events.json': '[' })
  const { trashed } = await run(home)
  expect(trashed.map(({ target }) => target).sort()).toEqual(
    [own, local].map(path => path.replace('conversations/', 'conversations/.trash/')).sort(),
  )
  const { repaired } = await restore(home, NAME, true)
  expect(repaired.length).toBeGreaterThan(0)
  for (const folder of [own, local]) expect(readFileSync(join(folder, 'events.json'), 'utf8')).toContain('turn_start')
  expect(linesOf(await run(home))).toEqual([])
})

test('before a conversation is trashed, nothing of it is repaired', async () => {
  const home = quickHome()
  const damage = {
    'metadata.json': '{"title":"x',
    'base_config.json': '{',
    'init_config.json': '{',
    'events.json': CUT,
  }
  const before = treeOf(putOne(home, damage))
  const { trashed, repaired, degraded } = await run(home)
  expect([repaired, degraded]).toEqual([[], []])
  const after = treeOf(trashed[0]?.target ?? '')
  for (const note of ['TRASHED.md', 'TRASHED.rethread.json']) after.delete(note)
  expect(after).toEqual(before)
})

test('what JP kept before it had events is not trashed unless a person says so', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'events.json': undefined, 'messages.json': [] })
  const before = treeOf(folder)
  const { lockedOut, trashed } = await run(home)
  expect([lockedOut.length, trashed]).toEqual([1, []])
  expect(lockedOut[0]?.line).toContain('messages.json')
  expect(treeOf(folder)).toEqual(before)
  expect((await run(home, { decide: person(() => ({ type: 'trash' })) })).trashed).toHaveLength(1)
})

test('events of which nothing can be kept count as trashed, also where it is asked to keep what can be', async () => {
  const home = quickHome()
  for (let index = 0; index < 8; index++) putOne(home, { 'events.json': '[{"a":1},{"b":2' }, `1793527000${index}`)
  const { left, trashed } = await run(home, { salvage: true })
  expect([left.length, trashed]).toEqual([8, []])
})

describe('a trash that is none', () => {
  test('a link out of the storage is not followed', async () => {
    const home = quickHome()
    const folder = putOne(home, { 'events.json': undefined })
    mkdirSync(join(home, 'elsewhere'))
    symlinkSync(join(home, 'elsewhere'), join(home, CONVERSATIONS, '.trash'))
    const { blocked, trashed } = await run(home)
    expect([blocked.length > 0, trashed]).toEqual([true, []])
    expect([existsSync(folder), readdirSync(join(home, 'elsewhere'))]).toEqual([true, []])
  })

  test('a file in its place is reported', async () => {
    const home = quickHome()
    const folder = putOne(home, { 'events.json': undefined })
    put(home, `${CONVERSATIONS}/.trash`, 'x')
    const { blocked } = await run(home)
    expect(blocked.map(({ line }) => line)).toEqual([expect.stringContaining('.trash is not a folder')])
    expect(existsSync(folder)).toBe(true)
  })
})

test('copies that had different names come back together', async () => {
  const home = quickHome()
  const { own, local } = putBoth(home, { 'events.json': CUT }, { 'events.json': undefined })
  const other = join(home, SILO, 'conversations', '17935272000-another-title')
  renameSync(local, other)
  const { trashed } = await run(home)
  expect(trashed.map(({ error }) => error)).toEqual(
    expect.arrayContaining(['missing events.json', expect.stringMatching(/^events\.json: EOF/)]),
  )
  const restored = await sanitizer.trash.restore({
    ...placeIn(home),
    name: '17935272000-another-title',
    decide: makeSilentDecider(),
    salvage: true,
  })
  expect(restored.repaired.filter(({ target }) => target !== undefined)).toHaveLength(2)
  expect([existsSync(own), existsSync(other)]).toEqual([true, true])
  expect(linesOf(await run(home))).toEqual([])
})

test.each(['17935272000-x/../../../../../stolen', '../17935272000', '17935272000-a\\b', '.17935272000'])(
  'a note beside it that names %j leads nowhere',
  async name => {
    const home = quickHome()
    const folder = putOne(home, {}, `.trash/${NAME}`)
    const sidecar = { version: 1, name, root: '/', place: 'archived', error: '', trashedAt: '', files: {} }
    put(home, `${CONVERSATIONS}/.trash/${NAME}/TRASHED.rethread.json`, JSON.stringify(sidecar))
    await sanitizer.trash.restore({ ...placeIn(home), name: NAME, decide: makeSilentDecider() })
    expect(existsSync(folder)).toBe(false)
    expect(existsSync(join(home, CONVERSATIONS, NAME, 'events.json'))).toBe(true)
  },
)

test('a copied folder in the trash stays there, and does not stop the other', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT })
  await run(home)
  const trashed = join(home, CONVERSATIONS, '.trash', NAME)
  cpSync(trashed, `${trashed}-backup`, { recursive: true })
  const options = { ...placeIn(home), name: NAME, decide: makeSilentDecider(), salvage: true }
  expect((await sanitizer.trash.restore(options)).repaired.at(-1)?.target).toBe(join(home, CONVERSATIONS, NAME))
  expect([existsSync(trashed), existsSync(`${trashed}-backup`)]).toEqual([false, true])
})

test('an id that is in the trash is not given to another', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': CUT })
  await run(home)
  putOne(home, {}, 'notes')
  const decide = person(
    () => ({ type: 'leave' }),
    undefined,
    () => ({ type: 'rename', name: '17935272000-again' }),
  )
  const { left } = await run(home, { decide })
  expect(left.map(({ line }) => line)).toEqual([expect.stringContaining('in the trash has this id')])
})
