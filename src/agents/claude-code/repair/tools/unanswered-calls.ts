// Calls without a result. The repair inserts a result after the last line of the call's message, which says
// so, and links the following record to it.
import { plainString } from '../../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../../bytes/skim.ts'
import { NONE } from '../../../../repair/records/record-index.ts'
import type { LogView, RawEdit, UnpairedTool } from '../../../repair.ts'
import { shorten } from '../../../stores/title.ts'
import { blocksIn, contentOf, toolId } from '../blocks.ts'
import type { StoredRecord } from '../record.ts'
import { afterLine, fetchRecord, linkTo } from '../record.ts'
import { envelopeOf, interruptedResult, uuidFor } from './interrupted-result.ts'
import type { ToolPlace } from './pairs.ts'
import type { Path } from './path.ts'
import { adjacentLines } from './path.ts'

const NAME = fieldNames('name')
const SOME_TOOL = 'a tool'
const MAX_NAME_LENGTH = 60

interface Call {
  /** The `uuid` of its record. */
  uuid: string
  /** The id as it is in the bytes, with its quotes. */
  id: Buffer
  name: string
}

export function repairCalls(log: LogView, path: Path, places: readonly ToolPlace[]): UnpairedTool[] {
  const anchorOf = makeAnchors(log, path)
  const byAnchor = new Map<number, ToolPlace[]>()
  for (const place of places) {
    const anchor = anchorOf(place.record)
    const others = byAnchor.get(anchor)
    if (others === undefined) byAnchor.set(anchor, [place])
    else others.push(place)
  }
  return [...byAnchor].flatMap(([anchor, calls]) => repairMessage(log, path, anchor, calls))
}

/** The record after which the results of a call belong. */
function makeAnchors(log: LogView, path: Path): (record: number) => number {
  const anchors = new Map<number, number>()
  return record => {
    // A line that is not on the path has no followers: its result is inserted right after it.
    if (!path.has(record)) return record
    const known = anchors.get(record)
    if (known !== undefined) return known
    const lines = adjacentLines(log.visible, path, record)
    const last = lines.at(-1) ?? record
    for (const line of lines) anchors.set(line, last)
    return last
  }
}

/** All calls of one message of the model whose results are missing. */
function repairMessage(log: LogView, path: Path, anchor: number, places: readonly ToolPlace[]): UnpairedTool[] {
  const callsIn = makeCalls(log)
  const found = places.map(place => ({ place, call: callsIn(place.record)[place.nth] }))
  const calls = found.flatMap(({ call }) => (call === undefined ? [] : [call]))
  const whole = repair(log, path, fetchRecord(log, anchor), calls)
  return found.map(({ place: { record }, call }): UnpairedTool => {
    return {
      kind: 'call-without-result',
      start: log.visible.start(record),
      end: log.visible.end(record),
      text: `A call of ${call?.name ?? SOME_TOOL} has no result, and the model’s service refuses a call without one.`,
      repair:
        call === undefined
          ? { refused: 'the call could not be found in its record' }
          : shareOf(whole, call === calls[0]),
    }
  })
}

/** The insertion for several calls is one edit and belongs to the first. */
function shareOf(whole: UnpairedTool['repair'], isFirst: boolean): UnpairedTool['repair'] {
  return 'refused' in whole || isFirst ? whole : { edits: [], reason: whole.reason }
}

/** The calls in a record. Each record is read once. */
function makeCalls(log: LogView): (record: number) => Call[] {
  const known = new Map<number, Call[]>()
  return record => {
    const calls = known.get(record) ?? fetchCalls(log, record)
    known.set(record, calls)
    return calls
  }
}

function fetchCalls(log: LogView, record: number): Call[] {
  const { bytes, uuid } = fetchRecord(log, record)
  return blocksIn(bytes, contentOf(bytes)).flatMap(block => {
    const id = toolId(bytes, block, 'tool_use')
    if (id === undefined || uuid === undefined) return []
    const name = plainString(bytes, skimFields(bytes, NAME, block.start, block.end)?.[0])
    const short = shorten(name ?? SOME_TOOL, MAX_NAME_LENGTH)
    return [{ uuid, id: bytes.subarray(id.start, id.end), name: short }]
  })
}

const UNLINKED = 'the records after the call do not say what they follow'

/** The results of all `calls`, one after the other. */
function repair(log: LogView, path: Path, anchor: StoredRecord, calls: readonly Call[]): UnpairedTool['repair'] {
  if (anchor.uuid === undefined) return { refused: 'the record with the call has no id for a result' }
  const follower = pastProgress(log, path, path.child(anchor.record))
  const isLast = path.has(anchor.record) && follower === NONE
  const { lines, last } = makeLines(log, anchor, anchor.uuid, calls, isLast)
  const edits: RawEdit[] = [insertAfter(log, anchor, lines)]
  if (follower !== NONE) {
    const link = linkTo(fetchRecord(log, follower), last)
    if (link === undefined) return { refused: UNLINKED }
    edits.push(link)
  }
  return { edits, reason: 'Add a result that says: interrupted, outcome unknown' }
}

/** Progress reports are not part of the conversation: the record after them follows the call. */
function pastProgress({ visible }: LogView, path: Path, from: number): number {
  let at = from
  while (at !== NONE && visible.kind(at) === 'progress') at = path.child(at)
  return at
}

function makeLines(
  log: LogView,
  anchor: StoredRecord,
  uuid: string,
  calls: readonly Call[],
  isLast: boolean,
): { lines: Buffer[]; last: string } {
  const lines: Buffer[] = []
  const envelope = envelopeOf(anchor.bytes)
  let parent = uuid
  for (const [index, call] of calls.entries()) {
    const timestamp = isLast ? later(log, anchor, index + 1) : anchor.timestamp
    const result = { envelope, parent, callId: call.id, caller: call.uuid, timestamp }
    lines.push(interruptedResult(result))
    parent = uuidFor(result)
  }
  return { lines, last: parent }
}

/**
 * At the end of a session, a resume starts from the record with the latest time, which must be the last
 * result. Elsewhere an inserted result must not have the latest time.
 */
function later({ visible }: LogView, anchor: StoredRecord, milliseconds: number): string | undefined {
  const time = new Date(visible.time(anchor.record) + milliseconds)
  return Number.isNaN(time.getTime()) ? anchor.timestamp : time.toISOString()
}

const NEWLINE = Buffer.from('\n')

function insertAfter(log: LogView, anchor: StoredRecord, lines: readonly Buffer[]): RawEdit {
  const { at, isEnded } = afterLine(log, log.visible.end(anchor.record))
  return { start: at, end: at, bytes: Buffer.concat(isEnded ? lines : [NEWLINE, ...lines]) }
}
