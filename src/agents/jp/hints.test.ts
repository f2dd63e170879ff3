// A hint names a command that works from any folder. A session that is named by its path is described with the files beside it.
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { ID, linkStorage, putConversation, putWorkspace, SILO, WHOLE } from '../../../test/support/jp/store.ts'
import { readFrom, readNamed } from '../../../test/support/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { listConversations } from './conversations.ts'
import { jp } from './index.ts'
import { openWorkspace, readWorkspaceId, workspaceOfUserLocal } from './roots.ts'

const BROKEN = { ...WHOLE, 'metadata.json': '{' }

async function hintsOf(home: string, sessionId: string): Promise<string[]> {
  const { end } = await readNamed(jp, environmentOf(home), sessionId)
  return end.findings.map(({ hint }) => hint)
}

test('the workspace is named where it is there, and the storage in the user’s data where it is gone', async () => {
  const home = temporaryHome()
  putConversation(home, BROKEN)
  expect(await hintsOf(home, `jp-c${ID}`)).toEqual([
    `Repair it before JP runs again: rethread sanitize ${join(home, SILO)}`,
  ])
  const other = temporaryHome()
  linkStorage(other, join(putWorkspace(other, BROKEN), '.jp'))
  expect(await hintsOf(other, `jp-c${ID}`)).toEqual([
    `Repair it before JP runs again: rethread sanitize ${join(other, 'shop')}`,
  ])
})

test('what is in the trash is named with the folder it comes back to', async () => {
  const home = temporaryHome()
  putConversation(home, BROKEN, `${ID}-a`, 'conversations/.trash')
  expect(await hintsOf(home, `${ID}-a.trash`)).toEqual([
    `Repair it and bring it back: rethread trash restore --dir ${join(home, SILO)} ${ID}-a.trash`,
  ])
})

test.each([
  ['conversations', '', 'The next command of JP moves the conversation to its trash.'],
  ['.archive', 'conversations', 'JP cannot load the conversation.'],
])('a file in %s that is named by its path is reported with the files beside it', async (place, above, text) => {
  const home = temporaryHome()
  const workspace = putWorkspace(home, BROKEN)
  const from = join(workspace, '.jp/conversations')
  const folder = join(workspace, '.jp', above, place)
  if (above !== '') {
    mkdirSync(folder)
    for (const name of readdirSync(from).filter(name => !name.startsWith('.')))
      renameSync(join(from, name), join(folder, name))
  }
  const filePath = join(folder, `${ID}-price-field-in-the-cart/events.json`)
  const reading = readFrom(jp, adopted(filePath))
  let step = await reading.next()
  while (!step.done) step = await reading.next()
  expect(step.value.findings).toMatchObject([{ damage: 'unreadable-file', text: expect.stringContaining(text) }])
  expect(step.value.loads).toBe(0)
})

test('a copy outside a storage is reported alone', async () => {
  const home = temporaryHome()
  const filePath = put(home, `backup/${ID}-x/events.json`, '[]')
  put(home, `backup/${ID}-x/metadata.json`, '{')
  const reading = readFrom(jp, adopted(filePath))
  let step = await reading.next()
  while (!step.done) step = await reading.next()
  expect(step.value.findings).toEqual([])
})

function adopted(filePath: string): SessionRef {
  const storeRoot = dirname(filePath)
  return {
    agent: 'jp',
    sessionId: `jp-c${ID}`,
    filePath,
    generation: 'conversations',
    storeRoot,
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  }
}

test('the id of a workspace is the last line, whatever stands before it', () => {
  const home = temporaryHome()
  put(home, 'a/.id', 'hello\nab1cd\n')
  put(home, 'b/.id', 'ab1cd\n')
  put(home, 'c/.id', 'Do not edit.\r\nab1cd\r\n')
  expect(['a', 'b', 'c'].map(name => readWorkspaceId(join(home, name)))).toEqual(['ab1cd', 'ab1cd', 'ab1cd'])
  put(home, 'a/.id', 'ab1cd\n\n')
  expect(readWorkspaceId(join(home, 'a'))).toBeUndefined()
})

test('any folder below the storage in the user’s data is taken for its workspace', () => {
  const home = temporaryHome()
  const conversation = putConversation(home)
  for (const folder of [join(home, SILO), dirname(conversation), conversation])
    expect(workspaceOfUserLocal(folder, environmentOf(home))?.id, folder).toBe('ab1cd')
  expect(workspaceOfUserLocal(`${join(home, SILO)}x`, environmentOf(home))).toBeUndefined()
})

test.each(['conversations/.archive', 'conversations/.trash'])(
  'nothing is read where %s is a link out of the storage',
  name => {
    const home = temporaryHome()
    const workspace = putWorkspace(home)
    const place = join(workspace, '.jp', name)
    const elsewhere = join(home, 'elsewhere')
    mkdirSync(join(elsewhere, 'Documents'), { recursive: true })
    rmSync(place, { recursive: true, force: true })
    symlinkSync(elsewhere, place)
    const open = openWorkspace(workspace, environmentOf(home))
    if (open === undefined) throw new Error('no workspace')
    const { conversations, failures } = listConversations(open)
    expect(failures.map(({ code, path }) => [code, path])).toContainEqual(['outside-store', place])
    expect(conversations.filter(({ folders }) => folders.some(({ path }) => path.includes('Documents')))).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('a folder whose name is not UTF-8 is skipped, as JP does', () => {
  const home = temporaryHome()
  const workspace = putWorkspace(home)
  const folder = Buffer.from(join(workspace, `.jp/conversations/${ID}1-`))
  mkdirSync(Buffer.concat([folder, Buffer.from([0xff])]))
  const open = openWorkspace(workspace, environmentOf(home))
  if (open === undefined) throw new Error('no workspace')
  expect(listConversations(open).conversations.map(({ sessionId }) => sessionId)).toEqual([`jp-c${ID}`])
})
