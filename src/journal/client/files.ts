// Reads and writes text files for an agent, only inside the folders of its session.
import { isUtf8 } from 'node:buffer'
import type { ReadTextFileResponse, WriteTextFileResponse } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { chunksOf, type Handle, readRange } from '../../disk/files/handles.ts'
import { pace } from '../../disk/files/pace.ts'
import { withSessionFile, writeSessionFile } from '../../disk/files/session-folder.ts'
import { RethreadError } from '../../model/errors.ts'
import { parseParams, throwIfCancelled } from './errors.ts'
import { MAX_TEXT_BYTES } from './limits.ts'

const count = z.int().min(0).max(0xffff_ffff).nullish()
const readRequest = z.object({ sessionId: z.string(), path: z.string(), line: count, limit: count })
const writeRequest = z.object({ sessionId: z.string(), path: z.string(), content: z.string() })

const NEWLINE = 0x0a

export async function readTextFile(
  params: unknown,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<ReadTextFileResponse> {
  const { path, line, limit } = parseParams(readRequest, params)
  return withSessionFile(path, folders, async (handle, size) => {
    // The schema allows line 0 although lines count from 1. Both mean the beginning.
    const start = await findLine(handle, size, Math.max(1, line ?? 1), signal)
    const end = limit == null ? size : (await skipLines(handle, start, size, limit, signal)).end
    if (end - start > MAX_TEXT_BYTES) throw tooLong(path, end - start)
    return { content: decode(readRange(handle, start, end), path) }
  })
}

export function writeTextFile(params: unknown, folders: readonly string[]): WriteTextFileResponse {
  const { path, content } = parseParams(writeRequest, params)
  if (!content.isWellFormed())
    throw unsupported(path, 'holds half a character (a lone surrogate) and cannot be written')
  const bytes = Buffer.from(content)
  if (bytes.length > MAX_TEXT_BYTES) throw tooLong(path, bytes.length)
  writeSessionFile(path, folders, bytes)
  return {}
}

async function findLine(handle: Handle, size: number, line: number, signal: AbortSignal): Promise<number> {
  const { end, skipped } = await skipLines(handle, 0, size, line - 1, signal)
  if (skipped === line - 1) return end
  throw unsupported(handle.path, `has ${skipped + 1} lines, and line ${line} was asked for`)
}

/** The end of `lines` lines from `start`, newlines included, or the end of the file. */
async function skipLines(
  handle: Handle,
  start: number,
  size: number,
  lines: number,
  signal: AbortSignal,
): Promise<{ end: number; skipped: number }> {
  let skipped = 0
  let end = start
  if (lines === 0) return { end, skipped }
  for await (const chunk of pace(chunksOf(handle, start, size))) {
    throwIfCancelled(signal)
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      skipped++
      if (skipped === lines) return { end: end + at + 1, skipped }
    }
    end += chunk.length
  }
  return { end, skipped }
}

function decode(bytes: Buffer, path: string): string {
  if (!isUtf8(bytes)) throw unsupported(path, 'is not text in UTF-8')
  return bytes.toString('utf8')
}

function tooLong(path: string, bytes: number): RethreadError {
  return unsupported(
    path,
    `has ${bytes} bytes; the limit at once is ${MAX_TEXT_BYTES}. Ask for fewer lines with line and limit`,
  )
}

function unsupported(path: string, text: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} ${text}.`,
    hint: 'Use a terminal for content that is not text, or is too long.',
    path,
  })
}
