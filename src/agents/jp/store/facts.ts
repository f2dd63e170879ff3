// What is known of a conversation from its events and its other files.
import type { Message } from '../../../model/message.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { titleFrom } from '../../stores/title.ts'
import { asObject, asText, present } from '../../stores/values.ts'
import type { ConversationFolder } from '../conversations.ts'
import { timeOfId, titleOfSlug } from '../ids.ts'
import { modelOf } from './messages.ts'

/** Plain data. */
export interface FactNotes {
  /** The model that answers at this point of the conversation. */
  model?: string
  prompt?: string
  firstAt?: string
  lastAt?: string
}

/** The model after this event. */
export function modelAfter(value: unknown, model: string | undefined): string | undefined {
  const event = asObject(value)
  return event?.['type'] === 'config_delta' ? (modelOf(event['delta']) ?? modelOf(event) ?? model) : model
}

export function noteMessage(notes: FactNotes, { time, role, parts }: Message): void {
  if (time !== null) {
    notes.firstAt ??= time
    if (time > (notes.lastAt ?? '')) notes.lastAt = time
  }
  if (role !== 'user' || notes.prompt !== undefined) return
  const prompt = titleFrom(parts.map(part => (part.type === 'text' ? part.text : '')).join('\n'))
  if (prompt !== undefined) notes.prompt = prompt
}

export function factsFrom(
  session: SessionRef,
  { parsed }: ConversationFolder,
  metadata: unknown,
  { model, prompt, firstAt, lastAt }: FactNotes,
): SessionFacts {
  const title = asText(asObject(metadata)?.['title'])
  const slug = parsed.type === 'unparseable' ? undefined : titleOfSlug(parsed.slug)
  const created = parsed.type === 'unparseable' ? firstAt : new Date(timeOfId(parsed.id)).toISOString()
  return present<SessionFacts>({
    title: session.title ?? title ?? slug ?? prompt,
    project: session.project,
    startedAt: created,
    updatedAt: lastAt ?? created,
    model,
  })
}
