// A second header in the middle of the log: the agent takes what stands before it for another session, and does not load it.
import { pick, readBreakableLog, replaceAll, viewOfBytes, wholeLine } from '../break-records.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'
import { isInRun } from '../repeats.ts'

const ID = 'repeated-header'
const SPACE = 0x20

export const repeatedHeader: LogDamage = {
  id: ID,
  title: 'second header in the middle of the log',
  framing: 'json-lines',
  concerns: (traits, mend) =>
    traits.headerRecord && traits.isCompressed !== true && mend.header?.findRepeated !== undefined,
  // One that was copied together with other records goes with them.
  detect: subject =>
    (subject.mend.header?.findRepeated?.(subject) ?? [])
      .filter(({ start }) => !isInRun(subject, start))
      .map(found => describe(subject, found)),
  plan,
  inflict(target, random) {
    const log = readBreakableLog(target)
    const [header] = log?.records ?? []
    const [first, ...others] = log?.loaded ?? []
    const before = pick(others, random)
    if (log === undefined || header === undefined || first === undefined || before === undefined) return undefined
    const copy = log.bytes.subarray(header.start, wholeLine(log, header).end)
    const broken = replaceAll(log.bytes, [{ start: before.start, end: before.start, by: copy }])
    const view = viewOfBytes(log.mend, target.session, broken)
    if (log.mend.header?.findRepeated?.(view).length !== 1) return undefined
    target.write(target.session.filePath, broken)
    return { what: `the header written again at ${before.start}`, destroyed: 0 }
  },
}

function describe(
  { session }: LogSubject,
  { start, end, text }: { start: number; end: number; text: string },
): Detected {
  const at = { file: session.filePath, start, end }
  const hint = `Repair it: rethread repair ${session.sessionId}`
  return { finding: { damage: ID, severity: 'survived', at, text, hint } }
}

/** The newline of the line stays where it is. */
function plan(subject: LogSubject, detected: readonly Detected[]): Planned {
  const reason = 'the second header is blanked with spaces; it is kept in the vault'
  const edits = detected.flatMap(({ finding: { at } }) => {
    if (!('start' in at)) return []
    return [{ start: at.start, end: at.end, bytes: Buffer.alloc(at.end - at.start, SPACE), damage: ID, reason }]
  })
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused: [] }
}
