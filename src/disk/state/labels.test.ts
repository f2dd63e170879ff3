import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { changeLabels, labelsIdentity, readLabels } from './labels.ts'

const ONE = { agent: 'codex', sessionId: 'one' }
const TWO = { agent: 'codex', sessionId: 'two' }

test('a name, a pin, tags and hidden are kept, and what is not named in a change stays', () => {
  const state = temporaryHome()
  changeLabels(state, [ONE], { name: 'Price field', addTags: ['Billing', '#needs review'] })
  changeLabels(state, [ONE, TWO], { isPinned: true })
  changeLabels(state, [ONE], { isHidden: true, removeTags: ['BILLING'] })
  expect(readLabels(state).get(ONE)).toEqual({
    name: 'Price field',
    isPinned: true,
    isHidden: true,
    tags: ['needs-review'],
  })
  expect(readLabels(state).get(TWO)).toEqual({ isPinned: true, isHidden: false, tags: [] })
  changeLabels(state, [ONE, TWO], { name: null, isPinned: false, isHidden: false, removeTags: ['needs-review'] })
  expect([...readLabels(state).entries]).toEqual([])
})

test('reading labels creates nothing, and a change is seen by the identity', () => {
  const state = temporaryHome()
  const before = labelsIdentity(state)
  expect(readLabels(state).get(ONE)).toBeUndefined()
  expect(statSync(join(state, 'labels.sqlite'), { throwIfNoEntry: false })).toBeUndefined()
  changeLabels(state, [ONE], { isPinned: true })
  expect(labelsIdentity(state)).not.toBe(before)
  expect(statSync(join(state, 'labels.sqlite')).mode & 0o077).toBe(0)
})

test('control characters, invisible ones and those of direction are not kept', () => {
  const state = temporaryHome()
  const name = 'a\u001b[31mb\u202ec\u200b\u2028d\u{e0041}\ud800'
  const label = changeLabels(state, [ONE], { name, addTags: ['x\u0000y'] }).get(ONE)
  expect(label).toMatchObject({ name: 'a [31mbc d\ufffd', tags: ['x-y'] })
})

test('an empty or a very long name, a comma in a tag and too many tags are refused, and nothing changes', () => {
  const state = temporaryHome()
  for (const name of ['', ' \u200b ', 'x'.repeat(201)])
    expect(() => changeLabels(state, [ONE], { name })).toThrow(/name/)
  expect(() => changeLabels(state, [ONE], { addTags: ['a,b'] })).toThrow(/comma/)
  const many = Array.from({ length: 40 }, (_, index) => `t${index}`)
  expect(() => changeLabels(state, [TWO, ONE], { isPinned: true, addTags: many })).toThrow(/at most 32/)
  expect([...readLabels(state).entries]).toEqual([])
})

test('ids with quotes and separators name their own conversation only', () => {
  const state = temporaryHome()
  changeLabels(state, [{ agent: 'a","b', sessionId: 'c' }], { isPinned: true })
  expect(readLabels(state).get({ agent: 'a', sessionId: 'b","c' })).toBeUndefined()
})

test('a damaged file is an error with a command, and stays as it is', () => {
  const state = temporaryHome()
  changeLabels(state, [ONE], { isPinned: true })
  const path = join(state, 'labels.sqlite')
  writeFileSync(path, 'not a database, but longer than a header of one would be: '.repeat(30))
  const bytes = readFileSync(path)
  expect(() => readLabels(state)).toThrow(expect.objectContaining({ code: 'database-corrupt', path }))
  expect(() => changeLabels(state, [ONE], { isPinned: false })).toThrow(/cannot be read/)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('several processes that tag at the same time lose nothing', async () => {
  const state = temporaryHome()
  const module = new URL('labels.ts', import.meta.url).href
  const code = (tags: string[]): string => `import { changeLabels } from ${JSON.stringify(module)}
    for (const tag of ${JSON.stringify(tags)})
      changeLabels(${JSON.stringify(state)}, [${JSON.stringify(ONE)}], { addTags: [tag] })`
  const names = ['a', 'b', 'c']
  const children = names.map(name =>
    spawn(process.execPath, ['--input-type=module', '-e', code([1, 2, 3, 4, 5].map(n => `${name}${n}`))], {
      stdio: 'inherit',
    }),
  )
  const statuses = await Promise.all(children.map(async child => (await once(child, 'exit'))[0]))
  expect(statuses).toEqual([0, 0, 0])
  expect(readLabels(state).get(ONE)?.tags).toHaveLength(15)
})
