// Searches all files below a folder for a pattern. Runs in its own thread: a pattern may take very long.
import { join } from 'node:path'
import { splitLines } from '../../bytes/lines.ts'
import { type Handle, readRange } from '../../disk/files/handles.ts'
import { withSessionFile } from '../../disk/files/session-folder.ts'
import { RethreadError } from '../../model/errors.ts'
import { walkKept } from './find-files.ts'
import {
  MAX_MATCHES,
  MAX_SEARCHED_BYTES,
  MAX_SEARCHED_FILE_BYTES,
  MAX_SEARCHED_LINE_BYTES,
  MAX_SUBMATCHES,
  SEARCH_MS,
} from './limits.ts'
import { looksBinary } from './read-content.ts'
import type { LeftOut, Limit, SkippedFileReason } from './skipped.ts'

/**
 * Offsets are in bytes: of the line in its file, and in the text of the
 * line, which equals the file if that is UTF-8.
 */
export interface Match {
  path: { text: string }
  lines: { text: string }
  line_number: number
  absolute_offset: number
  submatches: { match: { text: string }; start: number; end: number }[]
}

export interface FolderSearch {
  directory: string
  pattern: string
  /** For tests. */
  maxMs?: number
}

export interface FolderSearchResult {
  matches: Match[]
  leftOut: LeftOut
}

interface State extends FolderSearchResult {
  pattern: RegExp
  bytes: number
  deadline: number
}

export async function searchFolder({
  directory,
  pattern,
  maxMs = SEARCH_MS,
}: FolderSearch): Promise<FolderSearchResult> {
  const leftOut: LeftOut = { skipped: {}, limits: [] }
  const deadline = performance.now() + maxMs
  const state: State = { matches: [], leftOut, pattern: compile(pattern), bytes: 0, deadline }
  const walk = walkKept(directory)
  for (let step = walk.next(); ; step = walk.next()) {
    if (step.done) {
      skip(state, 'unreadable', step.value.unreadable)
      if (step.value.isCut) leftOut.limits.push('entries')
      return { matches: state.matches, leftOut }
    }
    for (const { kind, path } of step.value) {
      if (kind === 'file') await searchFile(state, directory, path)
      const limit = reachedLimit(state)
      if (limit === undefined) continue
      leftOut.limits.push(limit)
      return { matches: state.matches, leftOut }
    }
  }
}

/** The flag of another engine at the start of a pattern: ignore case. */
export function compile(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(pattern) ?? []
  try {
    return new RegExp(rest, `g${[...new Set(flags)].join('')}`)
  } catch (error) {
    throw new RethreadError({
      code: 'usage',
      text: `The pattern is not valid: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Put a backslash before a character that should match itself.',
      cause: error,
    })
  }
}

function reachedLimit({ matches, bytes, deadline }: State): Limit | undefined {
  if (matches.length >= MAX_MATCHES) return 'matches'
  if (bytes >= MAX_SEARCHED_BYTES) return 'bytes'
  return performance.now() > deadline ? 'time' : undefined
}

async function searchFile(state: State, directory: string, path: string): Promise<void> {
  try {
    await withSessionFile(join(directory, path), [directory], (handle, size) => searchOpen(state, path, handle, size))
  } catch (error) {
    // The file was removed or replaced, or may not be read. It is counted as skipped.
    if (!(error instanceof RethreadError)) throw error
    skip(state, 'unreadable')
  }
}

function searchOpen(state: State, path: string, handle: Handle, size: number): void {
  if (size > MAX_SEARCHED_FILE_BYTES) {
    skip(state, 'large')
    return
  }
  const bytes = readRange(handle, 0, size)
  state.bytes += bytes.length
  if (looksBinary(bytes)) skip(state, 'binary')
  else searchLines(state, path, bytes)
}

function searchLines(state: State, path: string, bytes: Buffer): void {
  let number = 0
  for (const line of splitLines([bytes])) {
    number++
    if (line.bytes.length > MAX_SEARCHED_LINE_BYTES) {
      skip(state, 'long-line')
      continue
    }
    const match = matchLine(state.pattern, line.bytes, line.terminated)
    if (match !== undefined)
      state.matches.push({ path: { text: path }, ...match, line_number: number, absolute_offset: line.start })
    if (reachedLimit(state) !== undefined) return
  }
}

function matchLine(
  pattern: RegExp,
  bytes: Buffer,
  terminated: boolean,
): Pick<Match, 'lines' | 'submatches'> | undefined {
  const text = bytes.toString('utf8')
  const submatches: Match['submatches'] = []
  pattern.lastIndex = 0
  for (const found of text.matchAll(pattern)) {
    const start = Buffer.byteLength(text.slice(0, found.index))
    submatches.push({ match: { text: found[0] }, start, end: start + Buffer.byteLength(found[0]) })
    if (submatches.length >= MAX_SUBMATCHES) break
  }
  if (submatches.length === 0) return undefined
  return { lines: { text: terminated ? `${text}\n` : text }, submatches }
}

function skip({ leftOut }: State, why: SkippedFileReason, count = 1): void {
  if (count > 0) leftOut.skipped[why] = (leftOut.skipped[why] ?? 0) + count
}
