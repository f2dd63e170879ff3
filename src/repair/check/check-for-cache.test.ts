// A large plain log gets the verdict of a whole check, without an index of its records. A check that reads a session to
// its end knows its folder.
import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { summarize } from '../../catalog/summaries.ts'
import { hasCachedIndex } from '../scan/index-cache.ts'
import { checkForCache } from './check-for-cache.ts'

const LARGE_BYTES = 3_000_000

const every = await repairableKinds()
const kinds = every.filter(({ repair }) => repair.framing === 'json-lines' && repair.makePlain !== undefined)

test.each(kinds)('$agent $store: a large plain log has the same verdict, and no index is cached', async kind => {
  const { context, session } = await makeHome(quickHome(), kind, 3, LARGE_BYTES)
  expect(session.fileSize).toBeGreaterThanOrEqual(LARGE_BYTES)
  const plain = await checkForCache(context, session)
  expect(hasCachedIndex(context.state, session)).toBe(false)
  const whole = await checkForCache(context, session, { isUnusual: true })
  expect(hasCachedIndex(context.state, session)).toBe(true)
  expect(plain).toEqual(whole)
  expect(plain.verdict.status).toBe('healthy')
})

test.each(kinds)('$agent $store: a large log that ends in the middle of a line is found', async kind => {
  const { context, session } = await makeHome(quickHome(), kind, 3, LARGE_BYTES)
  appendFileSync(session.filePath, '{"type":"user","mess')
  const checked = await checkForCache(context, session, { force: true })
  expect(checked.verdict.findings.map(({ damage }) => damage)).toEqual(['torn-tail'])
  expect(hasCachedIndex(context.state, session)).toBe(true)
})

test.each(every)('$agent $store: the folder that a check knows is that of the summary', async kind => {
  const { context, session } = await makeHome(quickHome(), kind, 5)
  const [checked, summary] = [await checkForCache(context, session), await summarize(context, session)]
  if (checked.project !== undefined) expect(checked.project).toBe(summary.project)
  const isRead = kind.repair.framing !== 'json-lines' && session.project === undefined
  if (isRead) expect(checked.project).toBe(summary.project)
})
