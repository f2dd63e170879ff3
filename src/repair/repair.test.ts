import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inflict, makeHome, mendableKinds } from '../../test/support/damaged.ts'
import { failWhen, quickHome, watchCalls } from '../../test/support/faults.ts'
import { damages } from '../damage/index.ts'
import { repairSession } from './repair.ts'

/** A session with a link to nowhere, which one edit mends. */
async function makeDamaged() {
  const kind = (await mendableKinds()).find(({ traits }) => traits.linkedByParent)
  const damage = damages.find(({ id }) => id === 'broken-parent')
  if (kind === undefined || damage === undefined) throw new Error('No kind of session has links.')
  const { context, session } = await makeHome(quickHome(), kind, 1)
  inflict(session, kind, damage, 1)
  return { context, session }
}

test('a session that vanishes between check and repair is missing, and no longer damaged', async () => {
  const { context, session } = await makeDamaged()
  watchCalls(() => rmSync(session.filePath, { force: true }))
  const { before, verdict, report } = await repairSession(context, session)
  expect(before.status).toBe('corrupted')
  expect(report).toMatchObject({ status: 'failed', edits: 0, error: { code: 'not-found' } })
  expect(verdict).toMatchObject({
    status: 'missing',
    loads: { now: 0, afterRepair: 0 },
    reason: { code: 'not-found', hint: expect.stringContaining('rethread list') },
  })
})

test('a disk that takes no writes says nothing about the session, which is as damaged as before', async () => {
  const { context, session } = await makeDamaged()
  failWhen('EACCES', name => name === 'write')
  const { before, verdict, report } = await repairSession(context, session)
  expect(report).toMatchObject({ status: 'failed', error: { code: 'permission-denied' } })
  expect(verdict).toEqual(before)
})
