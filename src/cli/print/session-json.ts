// Prints a conversation as one JSON document while it is read, so that its size does not matter.
import { sessionChanged } from '../../agents/stores/session-gone.ts'
import { toJson } from '../../bytes/json.ts'
import type { Context } from '../../catalog/context.ts'
import { folderNotes } from '../../catalog/project-folder.ts'
import { messageJson, noteEnd } from '../../catalog/reading.ts'
import { readLabels } from '../../disk/state/labels.ts'
import { withoutImages } from '../../model/image.ts'
import type { Label } from '../../model/label.ts'
import { withLabel } from '../../model/label.ts'
import type { Message } from '../../model/message.ts'
import type { Reading, ReadingEnd } from '../../model/reading.ts'
import { isPartial } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ShowOptions } from '../arguments/show-options.ts'
import { readSelected } from '../arguments/show-options.ts'
import { JsonWriter } from './json-writer.ts'
import type { Output } from './output.ts'
import { type PrintedParts, planParts } from './print-in-threads.ts'
import { messageText, printedText, SEPARATOR } from './rendered-part.ts'

export async function printSessionJson(
  output: Output,
  context: Context,
  session: SessionRef,
  options: ShowOptions,
): Promise<ReadingEnd> {
  const label = readLabels(context.state).get(session)
  // These may throw, so they come before anything is printed.
  const printParts = isWhole(options) ? await planParts(context, session) : undefined
  const reading = printParts === undefined ? readSelected(context, session, options) : undefined
  const step = await reading?.next()
  const { agent, sessionId, filePath, archived } = session
  const writer = new JsonWriter(output)
  await writer.add(
    `${toJson({ agent, sessionId, filePath, ...(archived === undefined ? {} : { archived }) }).slice(0, -1)},"messages":[\n`,
  )
  const printed = await printParts?.(writer)
  const read =
    printed?.end === undefined
      ? await printRest(writer, session, reading ?? readSelected(context, session, options), step, printed)
      : await noteEnd(context, session, printed.end)
  const notes = folderNotes(context, session, session.project ?? read.facts.project)
  const end = { ...ending(session, read, label), ...(notes.length === 0 ? {} : { notes }) }
  await writer.add(`\n],${toJson(end).slice(1)}\n`)
  await writer.flush()
  return read
}

type Step = IteratorResult<Message, ReadingEnd>

/**
 * Prints the messages of a reading without those that were printed already. Throws if they are not its first ones: then
 * the agent has rewritten the session or taken messages back meanwhile.
 */
export async function printRest(
  writer: JsonWriter,
  session: SessionRef,
  reading: Reading,
  first: Step | undefined,
  printed: PrintedParts | undefined,
): Promise<ReadingEnd> {
  try {
    let step = first ?? (await reading.next())
    let left = printed?.messages ?? 0
    for (; left > 0 && !step.done; step = await reading.next())
      if (--left === 0 && printed?.last.equals(printedText(messageText(step.value))) !== true)
        throw sessionChanged(session)
    if (left > 0) throw sessionChanged(session)
    let separator = printed === undefined || printed.messages === 0 ? '' : SEPARATOR
    for (; !step.done; step = await reading.next()) {
      const added = writer.add(messageJson(withoutImages(step.value)), separator)
      separator = SEPARATOR
      if (added !== undefined) await added
    }
    return step.value
  } finally {
    // Closes its file or database also after an error.
    await reading.return(undefined as never)
  }
}

function isWhole({ branch, limit, since, atMessage }: ShowOptions): boolean {
  return branch === undefined && limit === undefined && since === undefined && atMessage === undefined
}

/** The fields that are known only after the whole reading. */
function ending(session: SessionRef, end: ReadingEnd, label: Label | undefined): object {
  const { facts, counts, branches, findings, moreFindings } = end
  return {
    ...withLabel({ title: session.title ?? facts.title ?? null }, label),
    project: session.project ?? facts.project ?? null,
    facts,
    counts,
    branches,
    ...(isPartial(end)
      ? { partial: { error: end.error, parsedUpTo: end.parsedUpTo, recovered: end.recovered, findings, moreFindings } }
      : { findings }),
  }
}
