// What a thread says about itself.
import type { Message } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import { titleFrom } from '../stores/title.ts'
import { asArray, asObject, asText, asTime, present } from '../stores/values.ts'

export interface FactNotes {
  id?: string
  title?: string
  prompt?: string
  project?: string
  version?: string
  model?: string
  startedAt?: string
  updatedAt?: string
}

export function noteField(notes: FactNotes, key: string, value: unknown): void {
  switch (key) {
    case 'id':
      notes.id = asText(value) ?? notes.id
      return
    case 'title':
      notes.title = asText(value) ?? notes.title
      return
    case 'created':
      notes.startedAt = asTime(value) ?? notes.startedAt
      return
    case 'env': {
      const initial = asObject(asObject(value)?.['initial'])
      notes.project = (asArray(initial?.['trees']) ?? []).map(folderOf).find(folder => folder !== undefined)
      notes.version = asText(asObject(initial?.['platform'])?.['clientVersion']) ?? notes.version
    }
  }
}

export function noteMessage(notes: FactNotes, message: Message): void {
  notes.model = message.model ?? notes.model
  if (message.time !== null && message.time > (notes.updatedAt ?? '')) notes.updatedAt = message.time
  if (message.role !== 'user' || notes.prompt !== undefined) return
  notes.prompt = titleFrom(message.parts.map(part => (part.type === 'text' ? part.text : '')).join('\n'))
}

export function factsFrom(notes: FactNotes): SessionFacts {
  return present<SessionFacts>({
    sessionId: notes.id,
    title: notes.title === undefined ? notes.prompt : (titleFrom(notes.title) ?? notes.title),
    project: notes.project,
    startedAt: notes.startedAt,
    updatedAt: notes.updatedAt ?? notes.startedAt,
    agentVersion: notes.version,
    model: notes.model,
  })
}

/** The folder of a workspace tree, which is a file:// URL. */
function folderOf(tree: unknown): string | undefined {
  const uri = asText(asObject(tree)?.['uri'])
  if (uri === undefined || !URL.canParse(uri)) return undefined
  const { protocol, pathname } = new URL(uri)
  if (protocol !== 'file:') return undefined
  const path = decode(pathname).replace(/^\/(?=[A-Za-z]:)/, '')
  return path.length > 1 ? path.replace(/\/$/, '') : path
}

/** Unlike decodeURIComponent this accepts any bytes, because folder names may contain them. */
function decode(pathname: string): string {
  return pathname.replace(/(?:%[0-9a-f]{2})+/gi, escaped =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}
