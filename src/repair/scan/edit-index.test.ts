// An index after edits is the index of the edited log.
import { expect, test } from 'vitest'
import { makeHome, repairableKinds, snapshot } from '../../../test/support/damaged.ts'
import { inFull } from '../../../test/support/full.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { below, type Random, seededRandom } from '../../../test/support/random.ts'
import type { LogRepair } from '../../agents/repair.ts'
import type { Edit } from '../../bytes/edits.ts'
import { applyEdits } from '../../bytes/edits.ts'
import type { RecordIndex } from '../records/record-index.ts'
import { editIndex } from './edit-index.ts'
import { indexLog } from './scan-log.ts'

const ROUNDS = inFull(2_000, 60)
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|null|true|false|"[a-z]{4}"|\d{3}/g

/** Everything that an index says of its records. */
function contentOf(index: RecordIndex) {
  const records = Array.from({ length: index.length }, (_, record) => ({
    at: [index.start(record), index.end(record)],
    is: [index.kind(record), index.role(record), index.time(record), index.target(record)],
    flags: [index.isWhole(record), index.isSidechain(record), index.isSuspect(record), index.isOnlyThinking(record)],
    more: [index.isMeta(record), index.isRefused(record), index.hasId(record), index.hasUnusedId(record)],
    links: [index.isSuperseded(record), index.latest(record), index.namesParent(record), index.parent(record)],
    isOrphan: index.isOrphan(record),
    group: firstOf(index, record),
  }))
  const keys: number[] = []
  const tools: unknown[] = []
  index.eachTool((record, isResult, key) => {
    if (!keys.includes(key)) keys.push(key)
    tools.push([record, isResult, keys.indexOf(key)])
  })
  return { records, tools, version: index.version }
}

/** The first record of its group. */
function firstOf(index: RecordIndex, record: number): number | undefined {
  const group = index.group(record)
  if (group === undefined) return undefined
  for (let first = 0; ; first++) if (index.group(first) === group) return first
}

/** Ids are exchanged, and single bytes changed. */
function randomEdits(bytes: Buffer, random: Random): Edit[] {
  const text = bytes.toString('latin1')
  const places = [...text.matchAll(ID)].map(({ index, 0: found }) => ({ start: index, found }))
  const starts = new Set(Array.from({ length: 1 + below(random, 4) }, () => below(random, places.length)))
  return [...starts]
    .sort((a, b) => a - b)
    .flatMap(place => {
      const { start = 0, found = '' } = places[place] ?? {}
      const alike = places.filter(other => other.found.length === found.length)
      const other = alike[below(random, alike.length)]?.found ?? found
      const bytesOf =
        random() < 0.85
          ? Buffer.from(other, 'latin1')
          : Buffer.from([...Buffer.from(found)].map(() => 0x30 + below(random, 79)))
      return { start, end: start + found.length, bytes: bytesOf }
    })
}

const logKinds = (await repairableKinds()).filter(({ repair }) => repair.framing === 'json-lines')

test.each(logKinds.map(kind => ({ name: `${kind.agent} ${kind.store}`, kind })))(
  '$name: an index after random edits is that of the edited log',
  async ({ kind }) => {
    const { session } = await makeHome(temporaryHome(), kind, 7, 30_000)
    const repair = kind.repair as LogRepair
    const bytes = snapshot(session.storeRoot).get(session.filePath)
    if (bytes === undefined) throw new Error('The session has no file of its own.')
    const random = seededRandom(5)
    let count = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { index } = indexLog([bytes], repair)
      const before = contentOf(index)
      const edits = randomEdits(bytes, random)
      const isEdited = editIndex(index, edits, (start, end) => bytes.subarray(start, end), repair.describe)
      const scanned = indexLog([applyEdits(bytes, edits)], repair)
      if (isEdited) expect(scanned.junk).toEqual([])
      if (isEdited) count++
      expect(contentOf(index)).toEqual(isEdited ? contentOf(scanned.index) : before)
    }
    expect(count).toBeGreaterThan(ROUNDS / 10)
  },
)
