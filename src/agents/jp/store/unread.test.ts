// A conversation that cannot be read at all: the error depends on its store and names the command that helps.
import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import {
  ID,
  linkStorage,
  META,
  putConversation,
  putFiles,
  putWorkspace,
  SILO,
  WHOLE,
} from '../../../../test/support/jp/store.ts'
import { findSession, readFrom, readNamed } from '../../../../test/support/reading.ts'
import { jp } from '../index.ts'

const NAME = `${ID}-a`
const EMPTY = { ...WHOLE, 'events.json': '' }

async function errorOf(home: string, sessionId: string): Promise<{ message: string; hint: string }> {
  try {
    await readNamed(jp, environmentOf(home), sessionId)
  } catch (error) {
    if (error instanceof Error && 'hint' in error) return { message: error.message, hint: String(error.hint) }
    throw error
  }
  throw new Error('It was read.')
}

test('a folder in the trash without any file of a conversation is reported as such, with nothing to restore', async () => {
  const home = temporaryHome()
  const folder = putConversation(home, { 'TRASHED.md': '# Trashed Conversation\n' }, NAME, 'conversations/.trash')
  const { message, hint } = await errorOf(home, `${NAME}.trash`)
  expect(message).toBe(
    `Nothing of a conversation is in ${folder}. It is in the trash of JP, and there is nothing to restore.`,
  )
  expect(hint).toBe(`See what is in it: ls -la ${folder}`)
})

test('a conversation without events in the trash or in the archive, which JP does not validate', async () => {
  const home = temporaryHome()
  putConversation(home, { 'metadata.json': META }, NAME, 'conversations/.trash')
  putConversation(home, { 'metadata.json': META }, '17935270001-b', 'conversations/.archive')
  const trashed = await errorOf(home, `${NAME}.trash`)
  expect(trashed.message).toContain('has no events.json')
  expect(trashed.message).toContain('nothing to restore')
  const archived = await errorOf(home, 'jp-c17935270001')
  expect(archived.message).toContain('JP cannot load the conversation.')
  for (const { message } of [trashed, archived]) expect(message).not.toContain('next command')
})

test('a folder without files is as old as the folder, and not as 1970', async () => {
  const home = temporaryHome()
  const folder = join(home, SILO, 'conversations/.trash', NAME)
  mkdirSync(folder, { recursive: true })
  linkStorage(home, '/home/dev/shop/.jp')
  utimesSync(folder, 1_793_000_000, 1_793_000_000)
  const session = await findSession(jp, environmentOf(home), `${NAME}.trash`)
  expect(session.updatedAt).toBe(1_793_000_000_000)
})

test.each([
  ['of no bytes', '', /is empty.*next command of JP moves the conversation to its trash\.$/],
  ['of spaces', ' \n', /is empty/],
  ['that is not a list', '{}', /is not a list of events/],
])('an events.json %s leads to the command that repairs it, and to the file', async (_, content, text) => {
  const home = temporaryHome()
  linkStorage(home, join(putWorkspace(home, { ...WHOLE, 'events.json': content }), '.jp'))
  const { message, hint } = await errorOf(home, `jp-c${ID}`)
  expect(message).toMatch(text)
  expect(hint).toMatch(
    /^(Look for a copy beside it \(ls -la|See how it begins \(head -c 200) [^\n]*events\.json\*?\), then /,
  )
  expect(hint.endsWith(`repair it before JP runs again: rethread sanitize ${join(home, 'shop')}`)).toBe(true)
})

test('an empty events.json in the trash is brought back only where another copy is there to repair it from', async () => {
  const home = temporaryHome()
  const folder = putWorkspace(home)
  linkStorage(home, join(folder, '.jp'))
  putConversation(home, EMPTY, NAME, 'conversations/.trash')
  expect((await errorOf(home, `${NAME}.trash`)).hint).toMatch(/^Look for a copy beside it: ls -la [^\n]*$/)
  putFiles(home, `shop/.jp/conversations/.trash/${NAME}`, EMPTY)
  expect((await errorOf(home, `${NAME}.trash`)).hint).toMatch(
    /^Look for a copy .*, then repair it and bring it back: rethread trash restore /,
  )
})

test('the hint does not name sanitize for a copy outside a storage, nor for the oldest layout', async () => {
  const home = temporaryHome()
  const filePath = put(home, `backup/${ID}-x/events.json`, '')
  const lying = { agent: 'jp', sessionId: ID, filePath, generation: 'conversations', identity: '' }
  const storeRoot = join(filePath, '..')
  await expect(readFrom(jp, { ...lying, storeRoot, updatedAt: 0, fileSize: 0 }).next()).rejects.toMatchObject({
    code: 'empty-file',
    hint: expect.not.stringContaining('sanitize'),
  })
  putConversation(home, { 'metadata.json': META, 'messages.json': '' })
  expect((await errorOf(home, `jp-c${ID}`)).hint).not.toContain('sanitize')
})
