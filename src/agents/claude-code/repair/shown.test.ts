// What the index says of the shown messages is what the reader shows.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Kind } from '../../../../test/support/damaged.ts'
import { damagesOf, inflict, makeHome, openHome, repairableKinds } from '../../../../test/support/damaged.ts'
import { inFull } from '../../../../test/support/full.ts'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'
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

/** Rewinds, sub-agents, lines of one message far apart, missing parents, loops, compactions, queued prompts. */
function randomLog(random: Random): string {
  const [isLoose, isMixed] = [random() < 0.5, random() < 0.5]
  const count = 1 + below(random, 40)
  const records = Array.from({ length: count }, (_, number): Record<string, unknown> => {
    const far = isLoose ? below(random, count + 3) : number - 1 - below(random, 3)
    const parent = random() < 0.8 ? number - 1 : far
    const links = {
      parentUuid: parent < 0 ? null : uuid(parent),
      isSidechain: isMixed && random() < 0.2,
      ...(random() < 0.1 ? { logicalParentUuid: uuid(below(random, count)) } : {}),
    }
    const rest = { uuid: uuid(random() < 0.005 ? 0 : number), timestamp: new Date(number * 1000).toISOString() }
    return { ...links, sessionId: 's', ...randomBody(random, number), ...rest }
  })
  const lines = records.map(record => {
    if (random() < 0.03) delete record['uuid']
    return JSON.stringify(record)
  })
  return `${lines.join('\n')}${random() < 0.9 ? '\n' : ''}`
}

function uuid(number: number): string {
  return `a0000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function randomBody(random: Random, number: number): Record<string, unknown> {
  const flags = { ...(random() < 0.1 ? { isMeta: true } : {}), ...(random() < 0.05 ? { isCompactSummary: true } : {}) }
  const id = random() < 0.9 ? `m${Math.floor(number / 3) - below(random, 2)}` : undefined
  switch (below(random, 12)) {
    case 0:
      return { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', ...flags }
    case 1:
      return { type: 'system', subtype: 'informational', content: 'note', ...flags }
    case 2:
      return { type: 'progress', data: {} }
    case 3:
      return { type: 'attachment', attachment: { type: 'todo_reminder', content: [] } }
    case 4:
      return { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and now', ...randomMode(random) } }
    case 5:
      return { type: ['tag', 'something-new'][below(random, 2)] }
    case 6:
    case 7:
      return {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: `t${number - 1}`, content: 'ok' }] },
      }
    case 8:
      return { type: 'assistant', message: { id, content: [{ type: 'tool_use', id: `t${number}`, name: 'Bash' }] } }
    case 9:
    case 10:
      return { type: 'assistant', ...flags, message: { id, content: [{ type: 'text', text: 'answer' }] } }
    default:
      return {
        type: 'user',
        ...flags,
        message: { content: ['a "tool_result" in words', '', 'prompt'][below(random, 3)] },
      }
  }
}

function randomMode(random: Random): Record<string, unknown> {
  return random() < 0.5 ? {} : { commandMode: ['prompt', 'task-notification'][below(random, 2)] }
}
