import { expect, onTestFinished, test, vi } from 'vitest'
import type { SessionRow } from '../../../src/server/protocol.ts'

vi.stubGlobal('location', { hash: '', pathname: '/', search: '' })
const { list, takeStatus } = await import('./list.ts')
vi.unstubAllGlobals()

const ROW: SessionRow = {
  key: 'one',
  agent: 'a',
  sessionId: 's',
  title: null,
  project: null,
  filePath: '/s',
  updatedAt: '2026-11-16T00:00:00.000Z',
  fileSize: 1,
  messageCount: 2,
  partial: false,
  status: 'corrupted',
  loads: { now: 1, afterRepair: 2 },
  findings: 3,
}
const SAME = { type: 'session.status', key: 'one', agent: 'a', sessionId: 's', status: 'corrupted' } as const

test('the list is drawn again only for a status that is new', () => {
  const before = list.get()
  list.set({ ...before, rows: [ROW] })
  const drawn = vi.fn()
  const stop = list.subscribe(drawn)
  onTestFinished(() => {
    stop()
    list.set(before)
  })
  takeStatus({ ...SAME, loads: { now: 1, afterRepair: 2 }, findings: 3 })
  takeStatus(SAME)
  takeStatus({ ...SAME, key: 'of a row that is not loaded', status: 'healthy' })
  expect(drawn).not.toHaveBeenCalled()
  takeStatus({ ...SAME, loads: { now: 2, afterRepair: 2 } })
  expect(list.get().rows).toEqual([{ ...ROW, loads: { now: 2, afterRepair: 2 } }])
  takeStatus({ ...SAME, status: 'healthy', findings: 0 })
  expect(list.get().rows).toEqual([{ ...ROW, status: 'healthy', loads: { now: 2, afterRepair: 2 }, findings: 0 }])
  expect(drawn).toHaveBeenCalledTimes(2)
})
