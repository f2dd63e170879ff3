// Content blocks of ACP, as client and agent send them.
import { imageIn } from '../../model/image.ts'
import { asFields } from '../envelope.ts'
import type { PartBody } from './changes.ts'
import { describeValue } from './clip.ts'

export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The part for a block: text, a file, or the block itself where its type is unknown. */
export function readBlock(block: unknown): PartBody {
  const { type, text, name, title, uri, mimeType, resource, data } = asFields(block)
  if (type === 'text' && typeof text === 'string') return { type: 'text', text }
  const mime = readString(mimeType)
  if (type === 'image' || type === 'audio') {
    const link = readString(uri)
    return { type: 'file', name: lastName(link), mime, uri: link, isInline: true, ...imageIn(data) }
  }
  if (type === 'resource_link') {
    const link = readString(uri)
    return {
      type: 'file',
      name: readString(name) ?? readString(title) ?? lastName(link),
      mime,
      uri: link,
      isInline: false,
    }
  }
  if (type === 'resource') {
    const held = asFields(resource)
    const link = readString(held['uri'])
    const mimeOf = readString(held['mimeType'])
    return { type: 'file', name: lastName(link), mime: mimeOf, uri: link, isInline: true, ...imageIn(held['blob']) }
  }
  return { type: 'unknown', kind: readString(type) ?? 'content', value: block }
}

/** A block as a line of text, where only text can be shown. */
export function describeBlock(block: unknown): string {
  const body = readBlock(block)
  if (body.type === 'text') return body.text
  if (body.type !== 'file') return describeValue(block)
  const held = readString(asFields(asFields(block)['resource'])['text'])
  return held ?? `[${body.name ?? body.mime ?? 'file'}]`
}

function lastName(uri: string | undefined): string | undefined {
  return uri?.split(/[/\\]/).findLast(name => name !== '')
}
