// Prints a conversation as one JSON document while it is read, so that its size does not matter.
import { toJson } from '../../bytes/json.ts'
import type { Context } from '../../catalog/context.ts'
import { folderNotes } from '../../catalog/project-folder.ts'
import { messageJson } from '../../catalog/reading.ts'
import { readLabels } from '../../disk/state/labels.ts'
import { withoutImages } from '../../model/image.ts'
import type { Label } from '../../model/label.ts'
import { withLabel } from '../../model/label.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import { isPartial } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ShowOptions } from '../arguments/show-options.ts'
import { readSelected } from '../arguments/show-options.ts'
import { JsonWriter } from './json-writer.ts'
import type { Output } from './output.ts'

export async function printSessionJson(
  output: Output,
  context: Context,
  session: SessionRef,
  options: ShowOptions,
): Promise<ReadingEnd> {
  const label = readLabels(context.state).get(session)
  const reading = readSelected(context, session, options)
  // The first step may throw, so it comes before anything is printed.
  let step = await reading.next()
  const { agent, sessionId, filePath, archived } = session
  const writer = new JsonWriter(output)
  await writer.add(
    `${toJson({ agent, sessionId, filePath, ...(archived === undefined ? {} : { archived }) }).slice(0, -1)},"messages":[\n`,
  )
  for (let separator = ''; !step.done; step = await reading.next(), separator = ',\n') {
    const added = writer.add(messageJson(withoutImages(step.value)), separator)
    if (added !== undefined) await added
  }
  const notes = folderNotes(context, session, session.project ?? step.value.facts.project)
  const end = { ...ending(session, step.value, label), ...(notes.length === 0 ? {} : { notes }) }
  await writer.add(`\n],${toJson(end).slice(1)}\n`)
  await writer.flush()
  return step.value
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
