// The summary of a session that is skimmed is that of the session when it is read.
import { expect, onTestFinished, test, vi } from 'vitest'
import { randomLog } from '../../../../test/support/claude-code/random-log.ts'
import type { Kind } from '../../../../test/support/damaged.ts'
import { damagesOf, inflict, makeHome, openHome, repairableKinds } from '../../../../test/support/damaged.ts'
import { inFull } from '../../../../test/support/full.ts'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { RECORDINGS, recordedHome } from '../../../../test/support/recorded.ts'
import type { Context } from '../../../catalog/context.ts'
import { findSessions } from '../../../catalog/find-all.ts'
import { summarize } from '../../../catalog/summaries.ts'
import { openFile } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import { isLinear } from './linear.ts'
import { skim } from './skim.ts'

const AGENT = 'claude-code'
const SEEDS = inFull([1, 2, 3, 4, 5, 6, 7, 8], [1, 2])
const RANDOM_LOGS = inFull(4000, 800)
const kind = await ownKind()

async function ownKind(): Promise<Kind> {
  const found = (await repairableKinds()).find(({ agent }) => agent === AGENT)
  if (found === undefined) throw new Error('No session of this agent can be made.')
  return found
}

/** Whether the session can be skimmed. */
async function compare(context: Context, session: SessionRef): Promise<boolean> {
  const skimmed = await summarize(context, session)
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  const read = await summarize(context, session)
  vi.unstubAllEnvs()
  expect(JSON.stringify(sorted(skimmed))).toBe(JSON.stringify(sorted(read)))
  const skims = isSkimmed(session)
  // The reader finds one branch, too.
  if (skims) expect(isOneBranch(session)).toBe(true)
  return skims
}

function isOneBranch({ filePath, storeRoot }: SessionRef): boolean {
  const file = openFile(filePath, storeRoot)
  try {
    return isLinear(file.chunks())
  } finally {
    file.close()
  }
}

function isSkimmed({ filePath, storeRoot }: SessionRef): boolean {
  const file = openFile(filePath, storeRoot)
  try {
    return skim(file) !== undefined
  } finally {
    file.close()
  }
}

function sorted(summary: object): object {
  return Object.fromEntries(Object.entries(summary).sort(([one], [other]) => (one < other ? -1 : 1)))
}

test.each(damagesOf(kind))('$id: the summary is that of the reader', async damage => {
  for (const seed of SEEDS) {
    const { context, session } = await makeHome(temporaryHome(), kind, seed, 30_000)
    expect(await compare(context, session)).toBe(true)
    inflict(session, kind, damage, seed)
    await compare(context, session)
  }
})

test.each(RECORDINGS.filter(name => name.startsWith(AGENT)))('%s: the summary is that of the reader', async name => {
  const { context } = await openHome(recordedHome(name))
  const { sessions } = await findSessions(context)
  const skimmed = await Promise.all(sessions.map(session => compare(context, session)))
  expect(skimmed.length).toBeGreaterThan(0)
})

test.each([true, false])(
  'a log of any records, in one branch (%s): the summary is that of the reader',
  async isLinear => {
    const { context, session } = await makeHome(temporaryHome(), kind, 1)
    const folder = temporaryHome()
    let skimmed = 0
    for (let seed = 1; seed <= RANDOM_LOGS; seed++) {
      const filePath = put(folder, 'random.jsonl', randomLog(seededRandom(seed), isLinear))
      if (await compare(context, { ...session, filePath, storeRoot: folder })) skimmed++
    }
    expect(skimmed).toBeGreaterThan(isLinear ? RANDOM_LOGS / 10 : 0)
  },
)

const uuid = (number: number): string => `a0000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** A record as it is written, with links and the kind of its block. */
function record(id: number, parent: number | null, kind: string, more: Record<string, unknown> = {}) {
  const type = kind === 'progress' ? kind : kind === 'tool_result' ? 'user' : 'assistant'
  const links = { parentUuid: parent === null ? null : uuid(parent), isSidechain: false }
  return { ...links, type, message: { id: `m${id}`, content: [{ type: kind }] }, uuid: uuid(id), ...more }
}

test.each([
  ['one after the other', [record(1, null, 'text'), record(2, 1, 'text')], true],
  [
    'results of parallel calls',
    [
      record(1, null, 'tool_use'),
      record(2, 1, 'tool_use'),
      record(3, 1, 'tool_result'),
      record(4, 2, 'tool_result'),
      record(5, 4, 'text'),
    ],
    true,
  ],
  [
    'progress reports beside a result',
    [record(1, null, 'tool_use'), record(2, 1, 'progress'), record(3, 2, 'progress'), record(4, 1, 'tool_result')],
    true,
  ],
  ['a rewind', [record(1, null, 'text'), record(2, 1, 'text'), record(3, 1, 'text')], false],
  ['a second root', [record(1, null, 'text'), record(2, null, 'text')], false],
  ['a parent that is not there', [record(1, null, 'text'), record(2, 7, 'text')], false],
  ['a first record with a parent', [record(2, 1, 'text')], false],
  ['a record without an id', [record(1, null, 'text'), record(2, 1, 'text', { uuid: undefined })], false],
  ['a side branch', [record(1, null, 'text'), record(2, 1, 'text', { isSidechain: true })], false],
  [
    'a parent far behind',
    [
      record(1, null, 'tool_use'),
      ...Array.from({ length: 70 }, (_, at) => record(at + 2, at + 1, 'progress')),
      record(99, 1, 'tool_result'),
    ],
    false,
  ],
])('%s: whether it is skimmed, and the summary is that of the reader', async (_, records, isSkimmable) => {
  const { context, session } = await makeHome(temporaryHome(), kind, 1)
  const folder = temporaryHome()
  const filePath = put(folder, 'log.jsonl', records.map(each => `${JSON.stringify(each)}\n`).join(''))
  expect(await compare(context, { ...session, filePath, storeRoot: folder })).toBe(isSkimmable)
})

test('a log of more than one chunk is skimmed to its end', async () => {
  const { context, session } = await makeHome(temporaryHome(), kind, 1, 2_000_000)
  expect(session.fileSize).toBeGreaterThan(1_000_000)
  expect(await compare(context, session)).toBe(true)
})

test('without the kernel of the scanner nothing is skimmed', async () => {
  const { session } = await makeHome(temporaryHome(), kind, 1)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  expect(isSkimmed(session)).toBe(false)
})
