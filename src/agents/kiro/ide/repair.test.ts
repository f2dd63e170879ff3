import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { findSession, readFrom } from '../../../../test/support/reading.ts'
import { readDocument } from '../../../bytes/document.ts'
import { outlineDocument } from '../../../bytes/outline.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { kiro } from '../index.ts'
import { ide } from './index.ts'
import { repair } from './repair.ts'

const STORE = '.config/Kiro/User/globalStorage/kiro.kiroagent'

test.each([
  ['ide-session.json', `workspace-sessions/L2hvbWUvZGV2L3Nob3A=/s1.json`, 'history'],
  ['ide.chat', 'aa/s1.chat', 'chat'],
])('the messages of %s are counted as the reader counts them', async (name, place, list) => {
  const bytes = readFileSync(join(import.meta.dirname, '../fixtures', name))
  const home = temporaryHome()
  put(home, `${STORE}/${place}`, bytes)
  const { messages } = await collect(readFrom(kiro, await findSession(kiro, environmentOf(home), 's1')))
  const outline = outlineDocument(
    { size: bytes.length, range: (start, end) => bytes.subarray(start, end) },
    repair.lists,
  )
  expect(outline.list?.name).toBe(list)
  const count = repair.counter()
  let counted = 0
  for (const item of readDocument([bytes], { elements: list, fields: [] }))
    if (item.type === 'element') counted += count(item.value)
  expect(counted).toBe(messages.filter(isConversation).length)
  expect(counted).toBeGreaterThan(2)
})

test('its documents are repaired', async () => {
  expect(await ide.repair?.()).toBe(repair)
})
