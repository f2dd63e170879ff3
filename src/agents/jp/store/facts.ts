// What a conversation says about itself: in its metadata, its folder's name, its config and its events.
import type { Message } from '../../../model/message.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { titleFrom } from '../../stores/title.ts'
import { asArray, asObject, asText, present } from '../../stores/values.ts'
import { partsOfBaseConfig } from '../classify/shape-config.ts'
import type { ConversationFolder } from '../conversations.ts'
import { timeOfId, titleOfSlug } from '../ids.ts'
import { modelOf } from './events.ts'

export class Facts {
  /** The one that answers at this point of the conversation. */
  model: string | undefined
  readonly #session: SessionRef
  readonly #folder: ConversationFolder
  readonly #title: string | undefined
  #prompt: string | undefined
  #firstAt: string | undefined
  #lastAt: string | undefined

  constructor(session: SessionRef, folder: ConversationFolder, metadata: unknown, baseConfig: unknown) {
    this.#session = session
    this.#folder = folder
    this.#title = asText(asObject(metadata)?.['title'])
    const { base, init } = partsOfBaseConfig(baseConfig)
    const given = (asArray(init) ?? []).map(delta => modelOf(asObject(delta)?.['delta']))
    this.model = given.findLast(model => model !== undefined) ?? modelOf(base)
  }

  noteEvent(value: unknown): void {
    const event = asObject(value)
    if (event?.['type'] === 'config_delta') this.model = modelOf(event['delta']) ?? modelOf(event) ?? this.model
  }

  noteMessage({ time, role, parts }: Message): void {
    this.#firstAt ??= time ?? undefined
    if (time !== null && time > (this.#lastAt ?? '')) this.#lastAt = time
    if (role !== 'user' || this.#prompt !== undefined) return
    this.#prompt = titleFrom(parts.map(part => (part.type === 'text' ? part.text : '')).join('\n'))
  }

  toSessionFacts(): SessionFacts {
    const { parsed } = this.#folder
    const slug = parsed.type === 'unparseable' ? undefined : titleOfSlug(parsed.slug)
    const created = parsed.type === 'unparseable' ? this.#firstAt : new Date(timeOfId(parsed.id)).toISOString()
    return present<SessionFacts>({
      title: this.#session.title ?? this.#title ?? slug ?? this.#prompt,
      project: this.#session.project,
      startedAt: created,
      updatedAt: this.#lastAt ?? created,
      model: this.model,
    })
  }
}
