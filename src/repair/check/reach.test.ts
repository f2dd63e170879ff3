import { describe, expect, test } from 'vitest'
import { Random } from '../../agents/samples/random.ts'
import { Pieces } from '../../bytes/edits.ts'
import { RecordIndex } from '../records/record-index.ts'
import { reachOf } from './reach.ts'

const RECORDS = 300
const LINE = 10

/** A log of records of the same length, of which every third is not a message. */
function makeLog() {
  const index = new RecordIndex()
  const starts: number[] = []
  for (let record = 0; record < RECORDS; record++) {
    index.add(record * LINE, record * LINE + LINE - 1, true, { kind: 'talk', id: String(record) })
    if (record % 3 !== 0) starts.push(record * LINE)
  }
  const shown = { starts: Float64Array.from(starts), ends: Float64Array.from(starts, start => start + LINE - 1) }
  return { index, shown, view: Pieces.whole(RECORDS * LINE) }
}

function shuffled(records: readonly number[], seed: string): number[] {
  const random = new Random(seed)
  const left = [...records]
  return records.flatMap(() => left.splice(random.below(left.length), 1))
}

describe.each(['one', 'two', 'three'])('the messages that are reached (%s)', seed => {
  const { index, shown, view } = makeLog()
  const random = new Random(`chain ${seed}`)
  const inOrder = Array.from({ length: RECORDS }, (_, record) => record).filter(() => random.below(2) === 0)
  const isMessage = (record: number): boolean => record % 3 !== 0
  const messages = inOrder.filter(isMessage).length

  test.each([
    ['the order of the file', inOrder],
    ['the opposite order', inOrder.toReversed()],
    ['any order', shuffled(inOrder, seed)],
  ])('are the same in %s', (_, chain) => {
    const missing = Array.from({ length: RECORDS }, (_, record) => record).filter(
      record => isMessage(record) && !inOrder.includes(record),
    )
    const first = (missing[0] ?? 0) * LINE
    expect(reachOf(shown, { chain: Int32Array.from(chain), messages, depth: 0 }, index, view, [])).toEqual({
      loaded: messages,
      notLoaded: [],
      unreached: missing.length,
      firstUnreached: { start: first, end: first + LINE - 1 },
      extra: 0,
    })
  })
})

test('nothing is reached where nothing is shown', () => {
  const { index, view } = makeLog()
  const nothing = { starts: new Float64Array(0), ends: new Float64Array(0) }
  const reach = reachOf(nothing, { chain: Int32Array.of(0, 5), messages: 0, depth: 0 }, index, view, [])
  expect(reach).toMatchObject({ loaded: 0, unreached: 0, extra: 0 })
})

test('a message is reached where the agent loads another record with its id', () => {
  const index = new RecordIndex()
  for (const [place, id] of ['a', 'b', 'a'].entries())
    index.add(place * LINE, place * LINE + LINE - 1, true, { kind: 'talk', id })
  const shown = { starts: Float64Array.of(0, LINE), ends: Float64Array.of(LINE - 1, 2 * LINE - 1) }
  const loaded = { chain: Int32Array.of(2, 1), messages: 2, depth: 2 }
  const view = Pieces.whole(3 * LINE)
  expect(reachOf(shown, loaded, index, view, [])).toMatchObject({ loaded: 2, unreached: 0, extra: 0 })
  const leftOut = { ...loaded, leftOut: Int32Array.of(2) }
  expect(reachOf(shown, { ...leftOut, messages: 1 }, index, view, [])).toMatchObject({
    loaded: 1,
    notLoaded: [{ reason: 'left-out', messages: 1 }],
  })
})
