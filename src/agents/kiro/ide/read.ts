// Reads the documents of the editor: sessions with their `history`, and `.chat` files.
import { basename, dirname } from 'node:path'
import { pace } from '../../../disk/files/pace.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DocumentPart } from '../../stores/json-document.ts'
import { assertEmptyList, readDocumentFile } from '../../stores/json-document.ts'
import { titleFrom } from '../../stores/title.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText, present } from '../../stores/values.ts'
import { firstField, timeFrom } from '../blocks.ts'
import { Executions } from './executions.ts'
import { interpretEntry, STRUCTURE } from './messages.ts'

interface State {
  session: SessionRef
  findings: Findings
  counts: RecordCounts
  fields: Json
  executions?: Executions
  prompt?: string | undefined
}

export function read(session: SessionRef): Reading {
  return pace(readIdeSession(session))
}

function* readIdeSession(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const findings = new Findings()
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  const state: State = { session, findings, counts, fields: {} }
  const parts = readDocumentFile(session.filePath, session.storeRoot, STRUCTURE, findings)
  let step = parts.next()
  for (; !step.done; step = parts.next()) yield* partMessages(step.value, state)
  const { complete, fileSize, parsedUpTo, cause } = step.value
  if (complete && state.counts.records === 0)
    assertEmptyList(session.filePath, session.storeRoot, STRUCTURE.lists, fileSize)
  state.counts.skipped = findings.lost
  const facts = factsFrom(session, state)
  const common = { facts, counts: state.counts, branches: [], continued: false }
  return endReading(common, findings, { parsedUpTo, recovered: state.counts.records > 0 }, cause)
}

function* partMessages(part: DocumentPart, state: State): Generator<Message, void, void> {
  if (part.type === 'field') {
    state.fields[part.key] = part.value
    return
  }
  state.counts.records++
  const interpreted = interpretEntry(part.value, id => executionsOf(state).partsOf(id))
  if (interpreted.type === 'bookkeeping') {
    state.counts.bookkeeping++
    return
  }
  countUnknown(
    state.counts,
    interpreted.drafts.flatMap(({ parts }) => parts),
  )
  for (const [i, draft] of interpreted.drafts.entries()) {
    const text = draft.role === 'user' ? draft.parts.find(candidate => candidate.type === 'text') : undefined
    if (text !== undefined) state.prompt ??= titleFrom(text.text)
    yield { id: `@${part.at.start}${i === 0 ? '' : `.${i}`}`, ...draft, at: part.at }
  }
}

function executionsOf(state: State): Executions {
  const { session, fields, findings } = state
  const projects = [
    session.project,
    asText(fields['workspaceDirectory']),
    asText(fields['workspacePath']),
    folderFromName(basename(dirname(session.filePath))),
  ].filter(project => project !== undefined)
  state.executions ??= new Executions(session.storeRoot, projects, findings)
  return state.executions
}

function factsFrom(session: SessionRef, { fields, prompt }: State): SessionFacts {
  const metadata = asObject(fields['metadata'])
  const created = firstField(fields, 'dateCreated') ?? firstField(metadata, 'startTime')
  return present<SessionFacts>({
    sessionId: asText(fields['sessionId']) ?? session.sessionId,
    title: asText(fields['title']) ?? session.title ?? prompt,
    project:
      asText(firstField(fields, 'workspaceDirectory', 'workspacePath')) ??
      session.project ??
      folderFromName(basename(dirname(session.filePath))),
    startedAt: timeFrom(typeof created === 'string' && /^\d+$/.test(created) ? Number(created) : created) ?? undefined,
    updatedAt: timeFrom(metadata?.['endTime']) ?? undefined,
    model: asText(fields['selectedModel']) ?? asText(firstField(metadata, 'modelId', 'model')),
  })
}

/**
 * Folders below `workspace-sessions` are named by the project's path in base64. Some versions write its
 * padding as `_`.
 */
export function folderFromName(name: string): string | undefined {
  const path = Buffer.from(name.replace(/[_=]+$/, ''), 'base64').toString('utf8')
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)[^\p{Cc}\ufffd]*$/u.test(path) ? path : undefined
}
