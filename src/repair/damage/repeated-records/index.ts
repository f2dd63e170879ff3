// A part of the log, or all of it, is in the file twice. The agent sends it twice, or continues from the
// wrong record. Only exact copies are removed.
import type { Span } from '../../../bytes/json.ts'
import { isBlank } from '../../../bytes/text.ts'
import { formatNumber } from '../../../model/format-number.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import { SUPERSEDED } from '../../records/record-index.ts'
import type { Detected, Inflict, InflictTarget, LogDamage, LogSubject, Planned, Random } from '../damage.ts'
import { breakableLines } from '../lines/break-lines.ts'
import { viewOfBytes } from '../shared/break-records.ts'
import { findRepeats, type RepeatedRun, type Repeats } from '../shared/repeats.ts'

type Copying = (lines: readonly Buffer[], random: Random) => { lines: Buffer[]; what: string }

/** Writes a part of the log into it again: all of it, one half, some lines, or a single record. */
const inflict: Inflict = (target, random) => {
  const { filePath } = target.session
  const bytes = target.read(filePath)
  const lines = breakableLines(bytes).map(({ start, end }) => bytes.subarray(start, end))
  if (lines.length < 4) return undefined
  const first = random.below(COPYINGS.length)
  // Not every kind of copy does harm in every log.
  for (const turn of COPYINGS.keys()) {
    const copied = COPYINGS[(first + turn) % COPYINGS.length]?.(lines, random)
    if (copied === undefined) continue
    const broken = Buffer.concat(copied.lines.flatMap(line => [line, NEWLINE]))
    if (!isFound(target, broken)) continue
    target.write(filePath, broken)
    return { what: copied.what, destroyed: 0 }
  }
  return undefined
}

const NEWLINE = Buffer.from('\n')

function isFound(target: InflictTarget, bytes: Buffer): boolean {
  const { repair, session, traits } = target
  if (repair.framing !== 'json-lines') return false
  const view = viewOfBytes(repair, session, bytes)
  return findRepeats({ ...view, traits, repair, junk: [], isLive: false }).runs.length > 0
}

const COPYINGS: Copying[] = [
  lines => ({ lines: [...lines, ...lines], what: 'the whole log written again behind itself' }),
  lines => {
    const half = lines.length >> 1
    return { lines: [...lines, ...lines.slice(half)], what: `the lines from ${half} on written again` }
  },
  lines => {
    const half = lines.length >> 1
    return { lines: [...lines, ...lines.slice(0, half)], what: `the lines before ${half} written again` }
  },
  (lines, random) => {
    const from = 1 + random.below(lines.length - 2)
    const to = from + 1 + random.below(lines.length - from)
    const copy = lines.slice(from, to)
    return {
      lines: [...lines.slice(0, to), ...copy, ...lines.slice(to)],
      what: `the lines ${from} to ${to} written twice`,
    }
  },
  (lines, random) => {
    const at = 1 + random.below(lines.length - 1)
    return {
      lines: [...lines.slice(0, at + 1), ...lines.slice(at, at + 1), ...lines.slice(at + 1)],
      what: `line ${at} written twice`,
    }
  },
]

const ID = 'repeated-records'
const SPACE = 0x20
/** Longer copies are cut out. Blanks would take as much space as the copy. */
const MAX_BLANK_BYTES = 1024 * 1024

export const repeatedRecords: LogDamage = {
  id: ID,
  title: 'records that are in the log twice',
  version: 2,
  why: 'A part of the log was appended a second time. On resume the agent loads it twice, or loses what is between. A repair removes the copies, and the vault keeps them.',
  framing: 'json-lines',
  appliesTo: (traits, repair) => traits.isCompressed !== true && repair.repeats !== undefined,
  detect(subject) {
    const repeats = findRepeats(subject)
    return repeats.runs.map(run => describe(subject, run, repeats))
  },
  plan,
  // Otherwise a copy gets another link or time, and nobody recognises it any more.
  goesFirst: (subject, detected) => detected.length > 0 || mayHideCopies(subject),
  inflict,
}

/** Whether a record with the id of another is still on a broken line, so that the two cannot be compared. */
function mayHideCopies({ index, visible }: LogSubject): boolean {
  if (index === visible) return false
  const { flags } = index
  return flags.some((own, record) => {
    if ((own & SUPERSEDED) === 0) return false
    return !index.isWhole(record) || !index.isWhole(index.latest(record))
  })
}

function describe(subject: LogSubject, run: RepeatedRun, { loads }: Repeats): Detected {
  const { session, visible } = subject
  const count = run.last - run.first + 1
  const what = count === 1 ? 'This record is' : `The ${formatNumber(count)} records from here on are`
  const original = `written a second time; the first copy begins at byte ${formatNumber(visible.start(run.of))}.`
  return {
    finding: {
      damage: ID,
      severity: 'survived',
      at: { file: session.filePath, start: visible.start(run.first), end: visible.end(run.last) },
      text: `${what} ${original} ${effectOf(loads)}`,
      hint: `Repair it: ${paste('rethread repair', session.sessionId)}`,
    },
    detail: run,
  }
}

function effectOf({ now, without }: Repeats['loads']): string {
  if (now === without) return 'Nothing is lost.'
  return `A resume would load ${formatNumber(now)} messages instead of ${formatNumber(without)}.`
}

function plan(subject: LogSubject, detected: readonly Detected[]): Planned {
  const edits = detected.flatMap(({ detail }) =>
    blocksOf(subject, detail as RepeatedRun).map(block => removeRange(subject, block)),
  )
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused: [] }
}

/** Splits a run into blocks of records with only a newline between them. */
function blocksOf({ visible, bytes }: LogSubject, { first, last }: RepeatedRun): Span[] {
  const blocks: Span[] = []
  for (let record = first; record <= last; record++) {
    const [start, end] = [visible.start(record), visible.end(record)]
    const before = blocks.at(-1)
    if (before !== undefined && isBlank(bytes.range(before.end, start))) before.end = end
    else blocks.push({ start, end })
  }
  return blocks
}

/**
 * At the end of the file the lines are cut off. In the middle they are blanked, so that nothing after them
 * moves.
 */
function removeRange({ bytes }: LogSubject, { start, end }: Span): ByteEdit {
  const rest = bytes.range(end, Math.min(bytes.size, end + MAX_BLANK_BYTES))
  if (end + rest.length === bytes.size && isBlank(rest))
    return {
      start,
      end: bytes.size,
      bytes: Buffer.alloc(0),
      damage: ID,
      reason: 'Cut off the copy; the vault keeps it',
    }
  if (end - start > MAX_BLANK_BYTES)
    return { start, end, bytes: Buffer.alloc(0), damage: ID, reason: 'Remove the copy; the vault keeps it' }
  const reason = 'Blank the copy; the vault keeps it'
  return { start, end, bytes: blanked(bytes.range(start, end)), damage: ID, reason }
}

/** Newlines stay: some readers cannot handle a line of many megabytes. */
function blanked(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map(byte => (byte === 0x0a ? byte : SPACE)))
}
