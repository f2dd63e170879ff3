// Cursor keeps encryption keys and access tokens in the rows of conversations and beside them.
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import {
  type ComposerPlan,
  composerValue,
  putChat,
  putState,
  putWindow,
  SECRET_KEY,
  TOKEN,
} from '../../../test/support/cursor/store-maker.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { readCanonicalRows } from '../../disk/sqlite/session-rows.ts'
import type { StoreArchive } from '../archive.ts'
import { chatsArchive, cliArchive, ideArchive } from './archive.ts'

const ID = '11111111-2222-4333-8444-555555555555'
const PLAN: ComposerPlan = { id: ID }

function putComposers(home: string): string {
  const composer: unknown = JSON.parse(composerValue(PLAN) ?? '')
  return putWindow(home, { 'composer.composerData': { allComposers: [composer] } }, [PLAN])
}

const STORES: [string, StoreArchive, (home: string) => string, RegExp][] = [
  ["the editor's database", ideArchive, home => putState(home, [PLAN]), /Cart discount/],
  ["a window's database", chatsArchive, putComposers, /Cart discount.*Cart discount/s],
  ["a chat's database", cliArchive, home => putChat(home, { id: ID }).file, /"agentId":"11111111/],
]

test.each(STORES)(
  'of %s the conversation is archived, and no key or token',
  async (_, archive, makeDatabase, words) => {
    const filePath = makeDatabase(temporaryHome())
    const session = {
      agent: 'cursor',
      sessionId: ID,
      generation: '',
      fileSize: 0,
      identity: '',
      filePath,
      storeRoot: dirname(filePath),
      updatedAt: 0,
    }
    const rows = archive.rows?.(session)
    const text = String(await readCanonicalRows(filePath, dirname(filePath), rows?.tables ?? []))
    const decoded = text + text.replace(/[0-9a-f]{40,}/g, hex => Buffer.from(hex, 'hex').toString())
    expect(decoded).toMatch(words)
    expect(decoded).not.toContain(SECRET_KEY)
    expect(decoded).not.toContain(TOKEN)
  },
)
