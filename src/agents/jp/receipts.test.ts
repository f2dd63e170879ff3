import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { SILO } from '../../../test/support/jp/store.ts'
import { folderOfReceipt, repairAgain } from './receipts.ts'

test.each([
  ['conversations/17-x/events.json', '17-x'],
  ['conversations/17-x/messages.json', '17-x'],
  ['conversations/17-x', '17-x'],
  ['conversations/.trash/17-x-1/events.json', '17-x-1'],
  ['conversations/.archive/17-x', '17-x'],
])('%s is of the folder %s', (path, name) => {
  expect(folderOfReceipt({ filePath: join('/work/.jp', path) })).toMatchObject({ name, root: { path: '/work/.jp' } })
})

test('what was put back into the trash is brought back by its name there, everything else is repaired with its workspace', () => {
  const home = temporaryHome()
  const root = join(home, 'my shop/.jp')
  const trashed = join(root, 'conversations/.trash/17-x-1')
  const session = { filePath: join(root, 'conversations/17-x/events.json') }
  const restored = [join(trashed, 'TRASHED.md'), trashed]
  expect(repairAgain(session, restored)).toBe(`rethread sanitize '${join(home, 'my shop')}'`)
  mkdirSync(trashed, { recursive: true })
  expect(repairAgain(session, restored)).toBe(`rethread trash restore 17-x-1 --dir '${join(home, 'my shop')}'`)
  const local = { filePath: join(home, SILO, 'conversations/17-x/events.json') }
  expect(repairAgain(local, [local.filePath])).toBe(`rethread sanitize ${join(home, SILO)}`)
})
