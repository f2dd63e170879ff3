// Pictures inside sessions. Their first bytes alone decide the format. Only four plain formats count as
// pictures.
import type { Message, Part } from './message.ts'

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** A larger picture is named, but not shown. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024
const MAX_CHARS = Math.ceil(MAX_IMAGE_BYTES / 3) * 4
/** Enough characters to recognise each format. */
const HEAD_CHARS = 24
const DATA_ADDRESS = /^data:[^,]{0,200};base64,/i
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export interface InlineImage {
  mime: ImageType
  /** In base64. */
  data: string
}

type FilePart = Extract<Part, { type: 'file' }>

/**
 * Accepts base64, a `data:` URL, or a list of bytes. Undefined for anything but a picture of a known format
 * and size.
 */
export function imageIn(value: unknown): InlineImage | undefined {
  const data = Array.isArray(value) ? fromNumbers(value) : typeof value === 'string' ? fromText(value) : undefined
  const mime = data === undefined ? undefined : imageTypeOf(Buffer.from(data.slice(0, HEAD_CHARS), 'base64'))
  return data === undefined || mime === undefined ? undefined : { mime, data }
}

/** The part with its picture, if there is one. */
export function withImage(part: FilePart, value: unknown): FilePart {
  const image = imageIn(value)
  return image === undefined ? part : { ...part, ...image }
}

/** For text output: a message without the bytes of its pictures. */
export function withoutImages(message: Message): Message {
  if (!message.parts.some(part => part.type === 'file' && part.data !== undefined)) return message
  const parts = message.parts.map(part => {
    if (part.type !== 'file') return part
    const { data: _, ...rest } = part
    return rest
  })
  return { ...message, parts }
}

/** By the signature of each format. */
export function imageTypeOf(head: Uint8Array): ImageType | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'image/gif'
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined
}

export function imageSizeOf(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return (data.length / 4) * 3 - padding
}

function fromText(text: string): string | undefined {
  if (text.length > MAX_CHARS + 256) return undefined
  const data = text.replace(DATA_ADDRESS, '')
  return data.length <= MAX_CHARS && BASE64.test(data) ? data : undefined
}

function fromNumbers(list: readonly unknown[]): string | undefined {
  if (list.length > MAX_IMAGE_BYTES || !list.every(isByte)) return undefined
  return Buffer.from(list as number[]).toString('base64')
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255
}
