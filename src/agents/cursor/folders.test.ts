import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../test/support/home.ts'
import { findSession } from '../../../test/support/reading.ts'
import { dashedName, existingFolder } from './folders.ts'
import { cursor } from './index.ts'

test('a dashed name is that of the only folder that has it', () => {
  const home = temporaryHome()
  const folder = join(home, 'my-shop', 'web')
  mkdirSync(folder, { recursive: true })
  expect(existingFolder(dashedName(folder))).toBe(folder)
  mkdirSync(join(home, 'my', 'shop', 'web'), { recursive: true })
  expect(existingFolder(dashedName(folder))).toBeUndefined()
})

test('a name that no folder has, and an empty one, name none', () => {
  expect(existingFolder(dashedName(join(temporaryHome(), 'gone')))).toBeUndefined()
  expect(existingFolder('')).toBeUndefined()
})

test('a transcript has its project from the folder that exists', async () => {
  const home = temporaryHome()
  const folder = join(home, 'my-shop')
  mkdirSync(folder)
  const id = '66666666-6666-4666-8666-666666666666'
  const record = { role: 'user', message: { content: [{ type: 'text', text: 'Hello' }] } }
  put(home, `.cursor/projects/${dashedName(folder)}/agent-transcripts/${id}.jsonl`, lines(record))
  expect((await findSession(cursor, environmentOf(home), id)).project).toBe(folder)
})
