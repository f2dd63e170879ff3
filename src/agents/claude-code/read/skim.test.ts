// The summary of a session that is skimmed is that of the session when it is read.
import { expect, test } from 'vitest'
import { randomLog } from '../../../../test/support/claude-code/random-log.ts'
import { inFull } from '../../../../test/support/full.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { skimConformance } from '../../../../test/support/skim-conformance.ts'
import { openFile } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import { isLinear } from './linear.ts'

const RANDOM_LOGS = inFull(4000, 800)

// The reader finds one branch, too.
const compare = await skimConformance('claude-code', 'projects', isOneBranch)

function isOneBranch({ filePath, storeRoot }: SessionRef): boolean {
  const file = openFile(filePath, storeRoot)
  try {
    return isLinear(file.chunks())
  } finally {
    file.close()
  }
}

test.each([true, false])(
  'a log of any records, in one branch (%s): the summary is that of the reader',
  async isLinear => {
    let skimmed = 0
    for (let seed = 1; seed <= RANDOM_LOGS; seed++)
      if (await compare(randomLog(seededRandom(seed), isLinear))) skimmed++
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
  const log = records.map(each => `${JSON.stringify(each)}\n`).join('')
  expect(await compare(log)).toBe(isSkimmable)
})
