// A log that is large enough is copied by another thread while the rest of its repair is planned.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inflict, makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { quickHome } from '../../test/support/faults.ts'
import { startWriter } from '../../test/support/writer.ts'
import { files, injectFiles } from '../disk/files/system-calls.ts'
import { damages } from './damage/index.ts'
import { repairSession } from './repair.ts'
import { undoRepair } from './undo.ts'

/** From here on a log is scanned by two threads. */
const LARGE_BYTES = 33 * 1024 * 1024

async function makeLarge() {
  const kind = (await repairableKinds()).find(({ traits }) => traits.linkedByParent)
  const damage = damages.find(({ id }) => id === 'broken-parent')
  if (kind === undefined || damage === undefined) throw new Error('No kind of session has links.')
  const { context, session: made } = await makeHome(quickHome(), kind, 1, LARGE_BYTES)
  const session = { ...made, fileSize: statSync(made.filePath).size }
  return { context, session, breakLink: () => inflict(session, kind, damage, 1) }
}

/** The number of copies that this thread makes by itself. */
function countCopies(): () => number {
  let copies = 0
  const wrapped = files()
  const create = (path: string): number => {
    if (basename(dirname(path)) === 'backup') copies++
    return wrapped.create(path)
  }
  onTestFinished(injectFiles({ ...wrapped, create }))
  return () => copies
}

function hasFiles(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder, { recursive: true, withFileTypes: true }).some(each => each.isFile())
}

test.runIf(availableParallelism() > 1)('a large log is copied once, and only where it is repaired', async () => {
  const { context, session, breakLink } = await makeLarge()
  const hasCopy = (): boolean => hasFiles(join(context.state, 'vault')) || hasFiles(join(context.state, 'unfinished'))
  const copies = countCopies()
  const times: string[] = []
  const whileCopying = () => {
    times.push('begun')
    return () => void times.push('ended')
  }
  const healthy = await repairSession(context, session, { force: true, whileCopying })
  expect(healthy.report.status).toBe('already_healthy')
  expect(times).toEqual([])
  expect(hasCopy()).toBe(false)

  breakLink()
  const damaged = readFileSync(session.filePath)
  const planned = await repairSession(context, session, { force: true, dryRun: true })
  expect(planned.report.error?.code).toBe('dry-run')
  expect(hasCopy()).toBe(false)

  const lift = injectFiles({ ...files(), list: path => readdirSync(path, { withFileTypes: true }) })
  const writer = startWriter(
    session.filePath,
    "import { openSync } from 'node:fs'; openSync(path, 'a'); say('open'); await next()",
  )
  await writer.heard()
  const refused = await repairSession(context, session, { force: true })
  // Other systems do not show who has a file open.
  if (process.platform === 'linux') {
    expect(refused.report).toMatchObject({ status: 'refused', error: { code: 'busy' } })
    expect(hasCopy()).toBe(false)
  } else await undoRepair(context, refused.report.receipt ?? '', { force: true })
  await writer.kill()
  lift()

  const { report } = await repairSession(context, session, { force: true, whileCopying })
  expect(report.status).toBe('repaired')
  expect(times).toEqual(['begun', 'ended'])
  expect(copies()).toBe(0)
  expect(readFileSync(report.backupPath ?? '').equals(damaged)).toBe(true)
  expect(hasFiles(join(context.state, 'unfinished'))).toBe(false)
  await undoRepair(context, report.receipt ?? '', { force: true })
  expect(readFileSync(session.filePath).equals(damaged)).toBe(true)
})
