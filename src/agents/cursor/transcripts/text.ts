// An older transcript: plain text, with separate lines that name the speaker. Nothing marks the end of a
// message, so a cut inside the last one cannot be distinguished from its end.
import { splitLines } from '../../../bytes/lines.ts'
import { hasNul } from '../../../bytes/text.ts'
import { pace } from '../../../disk/files/pace.ts'
import type { OpenFile } from '../../../disk/files/read.ts'
import { openFile } from '../../../disk/files/read.ts'
import { emptyFile, quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { present } from '../../stores/values.ts'
import { titleOf } from '../blocks.ts'
import { folderNamedIn } from '../folders.ts'
import { dashedProject } from '../places.ts'
import type { Section } from './sections.ts'
import { Speech, speakerOf } from './sections.ts'

export function readTextTranscript(session: SessionRef): Reading {
  return pace(readSession(session))
}

function* readSession(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size === 0) throw emptyFile(session.filePath)
    return yield* readText(file, session)
  } finally {
    file.close()
  }
}

function* readText(file: OpenFile, session: SessionRef): Generator<Message, ReadingEnd, void> {
  const findings = new Findings()
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  const dashed = dashedProject(session.filePath)
  const speech = new Speech(file.path)
  let title: string | undefined
  let project = session.project
  let isTranscript = false
  for (const section of sectionsOf(file, findings, counts)) {
    const message = speech.messageOf(section)
    if (message === undefined) continue
    isTranscript ||= section.speaker !== 'unknown'
    counts.records++
    if (section.speaker === 'unknown') counts.unknown++
    title ??= titleOf(message)
    project ??= dashed === undefined ? undefined : projectIn(message, dashed)
    yield message
  }
  if (!isTranscript) throw notATranscript(file.path)
  const facts = present<SessionFacts>({
    sessionId: session.sessionId,
    title,
    project,
    subagentOf: session.subagentOf,
  })
  const progress = { parsedUpTo: file.identity.size, recovered: true }
  return endReading({ facts, counts, branches: [], continued: false }, findings, progress)
}

/** Longer than any message, and small enough for memory. A longer section continues in a second message. */
const MAX_SECTION_BYTES = 64 * 1024 * 1024

/** The sections between the lines that name the speaker. */
function* sectionsOf(file: OpenFile, findings: Findings, counts: RecordCounts): Generator<Section, void, void> {
  let open: Section = { speaker: 'unknown', lines: [], start: 0, end: 0 }
  let isAfterBlank = true
  for (const line of splitLines(file.chunks())) {
    const { bytes, start, end } = line
    if (line.tooLong)
      noteLine('record-too-long', 'A line is too long to be read.', file.path, start, end, findings, counts)
    if (hasNul(bytes))
      noteLine('nul-run', 'A line holds NUL bytes, as left by a crash.', file.path, start, end, findings, counts)
    const text = bytes.toString('utf8')
    // An empty line separates messages. A marker inside a paragraph is quoted text.
    const speaker = isAfterBlank ? speakerOf(text) : undefined
    if (speaker !== undefined || end - open.start > MAX_SECTION_BYTES) {
      yield open
      open = { speaker: speaker ?? open.speaker, lines: [], start, end }
    }
    if (speaker === undefined || speaker === 'tool') open.lines.push(text)
    open.end = end
    isAfterBlank = text.trim() === ''
  }
  yield open
}

function noteLine(
  damage: string,
  text: string,
  file: string,
  start: number,
  end: number,
  findings: Findings,
  counts: RecordCounts,
): void {
  counts.skipped++
  const hint = `See the bytes: rethread show --raw ${quote(file)}`
  findings.add({ damage, severity: 'lost', at: { file, start, end }, text, hint })
}

function projectIn(message: Message, dashed: string): string | undefined {
  const inputs = message.parts.map(part => (part.type === 'tool-call' ? String(part.input) : ''))
  return inputs
    .values()
    .map(text => folderNamedIn(text, dashed))
    .find(folder => folder !== undefined)
}

function notATranscript(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${path} is not a transcript: it contains no speaker.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
    offset: 0,
  })
}
