// Writes a conversation as one readable file, message by message.
import type { Context } from '../catalog/context.ts'
import { agentOf, readSession } from '../catalog/reading.ts'
import { openSummaries } from '../catalog/summaries.ts'
import { readLabels } from '../disk/state/labels.ts'
import { withLabel } from '../model/label.ts'
import type { ReadingEnd, SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { ExportEnd, ExportFormat, ExportHead } from './format.ts'
import { missingIn } from './format.ts'
import { html } from './formats/html.ts'
import { json } from './formats/json.ts'
import { markdown } from './formats/markdown.ts'
import type { Redacted } from './redact.ts'
import { makeRedactor, ownHomes } from './redact.ts'

export { describeRedacted, NOT_PERFECT } from './redact.ts'

/** The list of formats. */
export const EXPORT_FORMATS = { markdown, html, json } satisfies Record<string, ExportFormat>
export type ExportFormatName = keyof typeof EXPORT_FORMATS
export const EXPORT_FORMAT_NAMES = Object.keys(EXPORT_FORMATS) as [ExportFormatName, ...ExportFormatName[]]

export interface ExportOptions {
  format: ExportFormatName
  isRedacted: boolean
}

export interface Exported {
  reading: ReadingEnd
  messages: number
  /** Absent without a redaction. */
  redacted?: Redacted
}

/** Pieces are collected up to this size before they are written. */
const PIECE_CHARACTERS = 256 * 1024

/** A damaged session is written as far as it can be read, with a note of what is missing. */
export async function exportSession(
  context: Context,
  session: SessionRef,
  { format: name, isRedacted }: ExportOptions,
  write: (text: string) => Promise<void>,
): Promise<Exported> {
  const format: ExportFormat = EXPORT_FORMATS[name]
  const redactor = isRedacted ? makeRedactor(ownHomes(context.environment.home)) : undefined
  // Reads the session too where it was never read. Both at once would take twice the memory.
  const plain = await headOf(context, session, isRedacted)
  const head = redactor === undefined ? plain : (redactor.value(plain) as ExportHead)
  const reading = readSession(context, session, { isOnce: true })
  // The first step may throw, so it comes before anything is written.
  let step = await reading.next()
  let pending = format.head(head)
  let messages = 0
  for (; !step.done; step = await reading.next()) {
    messages++
    pending += format.message(redactor?.message(step.value) ?? step.value, messages, head)
    if (pending.length < PIECE_CHARACTERS) continue
    await write(pending)
    pending = ''
  }
  const last = step.value
  const end: ExportEnd = {
    isComplete: last.type === 'complete',
    missing: missingIn(last).map(line => redactor?.text(line) ?? line),
    facts: () => (redactor?.value(last.facts) ?? last.facts) as SessionFacts,
    messages,
    ...(redactor === undefined ? {} : { redacted: redactor.counts }),
  }
  await write(pending + format.end(end, head))
  return { reading: last, messages, ...(redactor === undefined ? {} : { redacted: redactor.counts }) }
}

/** A safe file name from the title: letters, digits and hyphens. */
export function exportFileName(
  { title, sessionId }: { title: string | null; sessionId: string },
  format: ExportFormatName,
): string {
  const plain = (text: string): string =>
    text
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
  const words = plain(title ?? '')
    .slice(0, 60)
    .replace(/-+$/, '')
  return `${[words, plain(sessionId).slice(0, 8)].filter(part => part !== '').join('-') || 'conversation'}.${EXPORT_FORMATS[format].extension}`
}

/**
 * The title and whether the reading is partial come first, so a session that was never read is read twice.
 */
async function headOf(context: Context, session: SessionRef, isRedacted: boolean): Promise<ExportHead> {
  const summaries = openSummaries(context)
  try {
    const summary = summaries.known(session) ?? (await summaries.learn(session))
    const { agent, sessionId } = session
    const own = {
      agent,
      agentTitle: agentOf(context, session).title,
      sessionId,
      title: session.title ?? summary.title ?? null,
      project: session.project ?? summary.project ?? null,
      updatedAt: new Date(session.updatedAt).toISOString(),
      isRedacted,
      isPartial: summary.partial !== undefined,
    }
    return withLabel(own, readLabels(context.state).get(session))
  } finally {
    summaries.close()
  }
}
