import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../test/support/faults.ts'
import { edit, patch, putSession, type Session } from '../../../test/support/repairs.ts'
import { lockSession } from '../processes/session-lock.ts'
import { applyChanges } from './apply.ts'
import type { Receipt } from './receipt.ts'
import { BACKUP_DAYS, cleanVault, findReceipt, listReceipts } from './receipts.ts'
import { undoReceipt } from './undo.ts'
import { vaultFolder } from './vault.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function repair({ file, request }: Session, sessionId = 'session-1', by = 'longer'): Promise<Receipt> {
  const [word] = /"parent":"\w+"/.exec(readFileSync(file, 'utf8')) ?? ['']
  return await applyChanges({ ...request([patch(file, edit(file, word, `"parent":"${by}"`))]), sessionId })
}

describe('a receipt is found', () => {
  test('by its id, by the beginning of it, by its random part, and by its session', async () => {
    const session = putSession(quickHome())
    const { id } = await repair(session)
    for (const which of [id, id.slice(0, -3), id.split('-')[1] ?? '', 'session-1'])
      expect(findReceipt(session.state, which).receipt.id).toBe(id)
  })

  test('by session as the last repair that still stands', async () => {
    const session = putSession(quickHome())
    const first = await repair(session, 'session-1', 'one')
    const second = await repair(session, 'session-1', 'two')
    expect(findReceipt(session.state, 'session-1').receipt.id).toBe(second.id)
    await undoReceipt(session.state, second.id)
    expect(findReceipt(session.state, 'session-1').receipt.id).toBe(first.id)
  })

  test('or it is said that there is none, or that there are several', async () => {
    const session = putSession(quickHome())
    await repair(session, 'session-1', 'one')
    await repair(session, 'session-1', 'two')
    expect(() => findReceipt(session.state, 'nothing')).toThrow(expect.objectContaining({ code: 'no-receipt' }))
    expect(() => findReceipt(session.state, '')).toThrow(expect.objectContaining({ code: 'no-receipt' }))
    const year = String(new Date().getUTCFullYear())
    expect(() => findReceipt(session.state, year)).toThrow(expect.objectContaining({ code: 'ambiguous-receipt' }))
  })
})

test('an unreadable receipt is reported and hides no other', async () => {
  const session = putSession(quickHome())
  const broken = await repair(session, 'session-1')
  const good = await repair(session, 'session-2', 'other')
  const path = join(vaultFolder(session.state, broken), 'receipt.json')
  for (const content of ['{"version":1', JSON.stringify({ ...good, version: 2 }), '[]']) {
    writeFileSync(path, content)
    const { receipts, failures } = listReceipts(session.state)
    expect(receipts.map(({ receipt }) => receipt.id)).toEqual([good.id])
    expect(failures).toMatchObject([{ code: 'no-receipt', path }])
  }
  const outside = { ...good, changes: [{ ...good.changes[0], before: { ...beforeOf(good), backup: '../../secret' } }] }
  writeFileSync(path, JSON.stringify(outside))
  expect(listReceipts(session.state).failures).toHaveLength(1)
})

function beforeOf(receipt: Receipt) {
  const [change] = receipt.changes
  return change?.type === 'patch' ? change.before : undefined
}

describe('copies in the vault', () => {
  const inDays = (days: number) => Date.now() + days * DAY_MS
  const hasBackup = (session: Session, receipt: Receipt) =>
    existsSync(join(vaultFolder(session.state, receipt), 'backup'))

  test('are kept for thirty days, and removed after; the receipt stays', async () => {
    const session = putSession(quickHome())
    const receipt = await repair(session)
    const sessionExists = () => true
    expect(await cleanVault(session.state, { sessionExists, now: inDays(BACKUP_DAYS - 1) })).toEqual({
      removed: [],
      kept: [],
    })
    expect(hasBackup(session, receipt)).toBe(true)
    const { removed } = await cleanVault(session.state, { sessionExists, now: inDays(BACKUP_DAYS + 1) })
    expect(removed.map(({ id }) => id)).toEqual([receipt.id])
    expect(hasBackup(session, receipt)).toBe(false)
    expect(listReceipts(session.state).receipts).toMatchObject([{ receipt: { id: receipt.id }, hasBackup: false }])
    expect(await cleanVault(session.state, { sessionExists, now: inDays(99) })).toEqual({ removed: [], kept: [] })
    await expect(undoReceipt(session.state, receipt.id)).rejects.toThrow('copies were removed')
  })

  test('of a session that no longer exists are kept until the user asks for their removal', async () => {
    const session = putSession(quickHome())
    const receipt = await repair(session)
    const options = { sessionExists: () => false, now: inDays(99) }
    const { kept, removed } = await cleanVault(session.state, options)
    expect([kept.map(({ id }) => id), removed]).toEqual([[receipt.id], []])
    expect(hasBackup(session, receipt)).toBe(true)
    await cleanVault(session.state, { ...options, includeLost: true })
    expect(hasBackup(session, receipt)).toBe(false)
  })

  test('are left alone while another rethread is at that session', async () => {
    const session = putSession(quickHome())
    const receipt = await repair(session)
    const lock = lockSession(session.state, receipt)
    const cleaned = await cleanVault(session.state, { sessionExists: () => true, now: inDays(99) })
    lock.release()
    expect(cleaned).toEqual({ removed: [], kept: [] })
    expect(hasBackup(session, receipt)).toBe(true)
  })
})
