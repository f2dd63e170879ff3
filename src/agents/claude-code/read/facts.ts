// What the records say about the session itself: its title, its folder, its start.

import type { SessionFacts } from '../../../model/reading.ts'
import type { Cost } from '../../../model/usage.ts'
import { titleFrom } from '../../stores/title.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString, asText, asTime, present } from '../../stores/values.ts'
import { costIn } from './usage.ts'

/** Collected in one pass. Plain data, because it is part of a checkpoint. */
export interface FactNotes {
  customTitle?: string
  aiTitle?: string
  /** Titles of old versions, by the record they were made for. They may name a record of another session. */
  summaries: Record<string, string>
  prompt?: string
  /** The first prompt of a sub-agent: the title of a file without any other prompt. */
  sidePrompt?: string
  slug?: string
  sessionId?: string
  project?: string
  version?: string
  model?: string
  startedAt?: string
  updatedAt?: string
  forkedFrom?: string
  cost?: Cost
}

export function noteFacts(notes: FactNotes, record: Json): void {
  noteTitles(notes, record)
  notes.sessionId ??= asText(record['sessionId'])
  notes.project ??= asText(record['cwd'])
  notes.slug ??= asText(record['slug'])
  notes.version = asText(record['version']) ?? notes.version
  notes.model = modelOf(record) ?? notes.model
  notes.forkedFrom ??= asText(asObject(record['forkedFrom'])?.['sessionId'])
  notes.cost = costIn(record) ?? notes.cost
  const time = asString(record['timestamp'])
  if (time !== undefined) noteTime(notes, time)
}

export function noteTime(notes: FactNotes, time: string): void {
  notes.startedAt ??= time
  // All times come from one writer in one format, so the later one is the greater text.
  if (notes.updatedAt === undefined || time > notes.updatedAt) notes.updatedAt = time
}

function noteTitles(notes: FactNotes, record: Json): void {
  switch (record['type']) {
    case 'custom-title':
      notes.customTitle = asText(record['customTitle']) ?? asText(record['title']) ?? notes.customTitle
      return
    case 'ai-title':
      notes.aiTitle = asText(record['aiTitle']) ?? asText(record['title']) ?? notes.aiTitle
      return
    case 'summary': {
      const leaf = asString(record['leafUuid'])
      const summary = asText(record['summary'])
      if (leaf !== undefined && summary !== undefined) notes.summaries[leaf] = summary
      return
    }
    case 'user':
      if (record['isMeta'] === true || record['isCompactSummary'] === true) return
      if (record['isSidechain'] === true) notes.sidePrompt ??= titleFrom(promptText(record))
      else notes.prompt ??= titleFrom(promptText(record))
      return
  }
}

function promptText(record: Json): string {
  const content = asObject(record['message'])?.['content']
  if (typeof content === 'string') return content
  const texts = (asArray(content) ?? []).map(block => asObject(block)).filter(block => block?.['type'] === 'text')
  return texts.map(block => asString(block?.['text']) ?? '').join('\n')
}

export function modelOf(record: Json): string | undefined {
  const model = record['type'] === 'assistant' ? asText(asObject(record['message'])?.['model']) : undefined
  return model === '<synthetic>' ? undefined : model
}

/** A summary counts for this session only if it was made for one of its own records. */
export function factsFrom(notes: FactNotes, isOwnRecord: (uuid: string) => boolean): SessionFacts {
  const summary = Object.entries(notes.summaries).findLast(([leaf]) => isOwnRecord(leaf))?.[1]
  const title = notes.customTitle ?? notes.aiTitle ?? summary ?? notes.prompt ?? notes.sidePrompt ?? notes.slug
  return present<SessionFacts>({
    sessionId: notes.sessionId,
    title: title === undefined ? undefined : (titleFrom(title) ?? title),
    project: notes.project,
    startedAt: asTime(notes.startedAt),
    updatedAt: asTime(notes.updatedAt),
    agentVersion: notes.version,
    model: notes.model,
    forkedFrom: notes.forkedFrom,
    cost: notes.cost,
  })
}
