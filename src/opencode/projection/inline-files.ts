// Where a file part leads: to its address, or to its content where that came along.
import type { PartBody } from '../../journal/conversation/changes.ts'
import { fields } from '../../journal/envelope.ts'
import { MAX_INLINE_CHARS } from './limits.ts'

type File = Extract<PartBody, { type: 'file' }>

const ANY_MIME = 'application/octet-stream'

/** `index`: the place of the part among those that the event brought. */
export function fileBody(
  file: File,
  envelope: unknown,
  index: number,
): { mime: string; filename?: string; url: string } {
  const mime = file.mime ?? (file.isInline ? ANY_MIME : 'text/plain')
  const url = (file.isInline ? contentUrl(blockAt(envelope, index), mime) : undefined) ?? file.uri ?? `data:${mime},`
  return { mime, ...(file.name === undefined ? {} : { filename: file.name }), url }
}

function blockAt(envelope: unknown, index: number): unknown {
  const { prompt, update } = fields(fields(envelope)['params'])
  return Array.isArray(prompt) ? prompt[index] : fields(update)['content']
}

function contentUrl(block: unknown, mime: string): string | undefined {
  const { data, resource } = fields(block)
  const { text, blob } = fields(resource)
  const base64 = typeof data === 'string' ? data : blob
  if (typeof base64 === 'string') return base64.length > MAX_INLINE_CHARS ? undefined : `data:${mime};base64,${base64}`
  if (typeof text !== 'string' || text.length > MAX_INLINE_CHARS) return undefined
  return `data:${mime};base64,${Buffer.from(text).toString('base64')}`
}
