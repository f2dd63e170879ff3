// Results without a call, and second results of one call. They are set aside. A short text replaces them if
// the record would be empty otherwise.
import { NONE } from '../../../../repair/records/record-index.ts'
import type { LogView, UnpairedTool } from '../../../repair.ts'
import { blocksIn, contentOf, cutElements, shift, textBlock, toolId } from '../blocks.ts'
import { fetchRecord, linkTo } from '../record.ts'
import type { UnpairedResult } from './pairs.ts'
import type { Path } from './path.ts'

const NOTHING = Buffer.alloc(0)

const WORDS = {
  'result-without-call': {
    text: 'A tool result has no matching call, and the model’s service refuses such a conversation.',
    filler: textBlock('(A tool result was here. Its call is lost, so the result was removed.)'),
    reason: 'Remove the result without a call; the vault keeps it',
  },
  'duplicate-result': {
    text: 'A call has a second result, and the model’s service refuses such a conversation.',
    filler: textBlock('(A second result of the same tool call was here and was removed.)'),
    reason: 'Remove the second result of the call; the vault keeps it',
  },
}

export function repairResults(log: LogView, path: Path, results: readonly UnpairedResult[]): UnpairedTool[] {
  const byRecord = new Map<number, UnpairedResult[]>()
  for (const result of results) {
    const others = byRecord.get(result.record)
    if (others === undefined) byRecord.set(result.record, [result])
    else others.push(result)
  }
  return [...byRecord].flatMap(([record, found]) => {
    const link = linkThroughCall(log, path, found)
    const repairs = link === undefined ? setAside(log, found, !hasOthersInTurn(log, path, record, byRecord)) : [link]
    return found.map((result, place) => unpaired(log, result, repairs[place]))
  })
}

/**
 * The API refuses text between results. If the same turn has other results, the record may be left empty
 * without loss.
 */
function hasOthersInTurn(
  { visible }: LogView,
  path: Path,
  record: number,
  stray: ReadonlyMap<number, unknown>,
): boolean {
  const isOther = (at: number): boolean => visible.role(at) === 'user' && visible.kind(at) === 'talk' && !stray.has(at)
  const isInTurn = (at: number): boolean => at !== NONE && path.has(at) && visible.role(at) !== 'assistant'
  const directions: ((at: number) => number)[] = path.has(record) ? [path.child, at => visible.parent(at)] : []
  return directions.some(next => {
    let at = next(record)
    for (let steps = 0; steps < MAX_LINES && isInTurn(at); steps++) {
      if (isOther(at)) return true
      at = next(at)
    }
    return false
  })
}

function unpaired(
  { visible }: LogView,
  { kind, record }: UnpairedResult,
  repair: UnpairedTool['repair'] = { refused: 'the result could not be found in its record' },
): UnpairedTool {
  return { kind, start: visible.start(record), end: visible.end(record), text: WORDS[kind].text, repair: repair }
}

/**
 * If several calls were made at once, the call can be in a line of the same message that no link passes
 * through. Linking the records through that line loses nothing.
 */
function linkThroughCall(log: LogView, path: Path, found: readonly UnpairedResult[]): Repaired | undefined {
  const [only, ...others] = found
  const line = others.length === 0 ? only?.callBeside : undefined
  const group = line === undefined ? undefined : log.visible.group(line)
  if (line === undefined || group === undefined) return undefined
  let before = line
  for (let steps = 0; steps < MAX_LINES && before !== NONE && !path.has(before); steps++) {
    if (log.visible.group(before) !== group) return undefined
    before = log.visible.parent(before)
  }
  if (before === NONE || !path.has(before) || log.visible.group(before) !== group) return undefined
  const follower = path.child(before)
  // Another line of the message follows, and relinking would lose it.
  if (follower === NONE || log.visible.group(follower) === group) return undefined
  const { uuid } = fetchRecord(log, line)
  const edit = uuid === undefined ? undefined : linkTo(fetchRecord(log, follower), uuid)
  return edit === undefined ? undefined : { edits: [edit], reason: 'Link it through the call that the result answers' }
}

type Repaired = Extract<UnpairedTool['repair'], { edits: unknown }>
/** No model makes more calls in one message, and no turn has more results. */
const MAX_LINES = 1000

/**
 * All stray results of one record. One cut can remove several neighbours; it belongs to the first of them.
 */
function setAside(log: LogView, found: readonly UnpairedResult[], isAlone: boolean): (Repaired | undefined)[] {
  const [first] = found
  if (first === undefined) return []
  const { at, bytes } = fetchRecord(log, first.record)
  const blocks = blocksIn(bytes, contentOf(bytes))
  const results = blocks.filter(block => toolId(bytes, block, 'tool_result') !== undefined)
  const stray = new Set(found.map(({ nth }) => results[nth]))
  const filler = isAlone ? WORDS[first.kind].filler : NOTHING
  const cuts = cutElements(blocks, index => stray.has(blocks[index]), filler)
  const cutAt = new Map(cuts.map(cut => [blocks[cut.elements[0] ?? 0], shift(cut, at)]))
  return found.map(({ kind, nth }) => {
    const cut = cutAt.get(results[nth])
    return results[nth] && { edits: cut === undefined ? [] : [cut], reason: WORDS[kind].reason }
  })
}
