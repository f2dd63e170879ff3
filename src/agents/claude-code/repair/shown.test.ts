// What the index says of the shown messages is what the reader shows.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { randomLog } from '../../../../test/support/claude-code/random-log.ts'
import type { Kind } from '../../../../test/support/damaged.ts'
import { damagesOf, inflict, makeHome, openHome, repairableKinds } from '../../../../test/support/damaged.ts'
import { inFull } from '../../../../test/support/full.ts'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { RECORDINGS, recordedHome } from '../../../../test/support/recorded.ts'
import { findSessions } from '../../../catalog/find-all.ts'
import type { SessionRef } from '../../../model/session.ts'
import { readShown } from '../../../repair/check/reach.ts'
import { indexLog } from '../../../repair/scan/scan-log.ts'
import { read } from '../read/index.ts'
import { repair } from './index.ts'
import { findShown } from './shown.ts'

const AGENT = 'claude-code'
const SEEDS = inFull([1, 2, 3, 4, 5, 6, 7, 8], [1, 2])
const RANDOM_LOGS = inFull(20_000, 250)
const kind = await ownKind()

async function ownKind(): Promise<Kind> {
  const found = (await repairableKinds()).find(({ agent }) => agent === AGENT)
  if (found === undefined) throw new Error('No session of this agent can be made.')
  return found
}

/** Whether the index says it. Where it does, the reader must agree. */
async function compare(session: SessionRef): Promise<boolean> {
  const bytes = readFileSync(session.filePath)
  if (indexLog([bytes], repair).junk.length > 0) return false
  const shown = findShown(viewOf(session, repair, bytes))
  if (shown === undefined) return false
  expect(shown).toEqual(await readShown(read(session), bytes.length))
  return true
}

test.each(damagesOf(kind))('$id: the shown messages stand where the reader finds them', async damage => {
  for (const seed of SEEDS) {
    const { session } = await makeHome(temporaryHome(), kind, seed, 30_000)
    inflict(session, kind, damage, seed)
    await compare(session)
  }
})

test.each(RECORDINGS.filter(name => name.startsWith(AGENT)))('%s: as the reader finds them', async name => {
  const { context } = await openHome(recordedHome(name))
  const { sessions } = await findSessions(context)
  for (const session of sessions) expect(await compare(session), session.sessionId).toBe(true)
})

test('a log of any links: as the reader finds them', async () => {
  const { session } = await makeHome(temporaryHome(), kind, 1)
  const folder = temporaryHome()
  let said = 0
  for (let seed = 1; seed <= RANDOM_LOGS; seed++) {
    const filePath = put(folder, 'random.jsonl', randomLog(seededRandom(seed)))
    if (await compare({ ...session, filePath, storeRoot: folder })) said++
  }
  expect(said).toBeGreaterThan(RANDOM_LOGS / 2)
})
