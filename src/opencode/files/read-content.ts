// One file of a session, as text where it is text.
import { isUtf8 } from 'node:buffer'
import { extname, isAbsolute, join } from 'node:path'
import { readRange } from '../../disk/files/handles.ts'
import { withSessionFile } from '../../disk/files/session-folder.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { MAX_CONTENT_BYTES, PROBE_BYTES } from './limits.ts'

export interface FileContent {
  type: 'text' | 'binary'
  content: string
  encoding?: 'base64'
  mimeType?: string
}

const MIME_TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.wasm': 'application/wasm',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.html': 'text/html',
  '.css': 'text/css',
  '.md': 'text/markdown',
  '.json': 'application/json',
}

/** `path` is relative to `directory`, or absolute and inside it. */
export async function readContent(directory: string, path: string): Promise<FileContent> {
  const file = isAbsolute(path) ? path : stepUpIsSeen(directory, path)
  const bytes = await withSessionFile(file, [directory], (handle, size) => {
    if (size > MAX_CONTENT_BYTES) throw tooLarge(path, size)
    return readRange(handle, 0, size)
  })
  const mimeType = MIME_TYPES[extname(path).toLowerCase()]
  const isText = isTextual(bytes)
  return isText
    ? { type: 'text', content: bytes.toString('utf8'), mimeType: mimeType ?? 'text/plain' }
    : {
        type: 'binary',
        content: bytes.toString('base64'),
        encoding: 'base64',
        mimeType: mimeType ?? 'application/octet-stream',
      }
}

export function isTextual(bytes: Buffer): boolean {
  return !looksBinary(bytes) && isUtf8(bytes)
}

/** Decides by the beginning of the file alone. */
export function looksBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, PROBE_BYTES).includes(0)
}

/** Not `join`, which would resolve "..": the path is refused as the client sent it. */
function stepUpIsSeen(directory: string, path: string): string {
  return path.split(/[/\\]/).includes('..') ? `${directory}/${path}` : join(directory, path)
}

function tooLarge(path: string, size: number): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `${path} is ${size} bytes long; files of up to ${MAX_CONTENT_BYTES} are sent.`,
    hint: `See a part of it: head -c 100000 ${quote(path)}`,
    path,
  })
}
