// A lost header is replaced by a change at the end of the log that names the session and its project. No
// existing byte moves.
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { parseObject } from '../../../bytes/json.ts'
import { listFolder, openFile } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { HeaderRepair, LogView, RebuiltHeader } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import { JSON_LINES, parseName } from '../names.ts'
import { factsIn, isSessionNamed, namesIn } from './loader.ts'

const NEWLINE = 0x0a

export const header: HeaderRepair = {
  isPresent: log => isSessionNamed(log, log.index, () => true),
  rebuild(log): RebuiltHeader {
    const { session, bytes } = log
    const named = { ...tornNames(log), ...namesIn(log, log.index) }
    const beside = namesBeside(session)
    const sessionId = asText(named['sessionId']) ?? sessionIdFrom(session, beside)
    const projectHash = asText(named['projectHash']) ?? projectHashFrom(session, beside)
    if (sessionId === undefined) return { refused: 'No remaining record names the session.' }
    if (projectHash === undefined) return { refused: 'No remaining record names the project of the session.' }
    // The agent does not list a session that says it is a subagent's.
    const kind = session.subagentOf === undefined && log.index.length > 0 && saysSubagent(log) ? { kind: 'main' } : {}
    const line = `${JSON.stringify({ $set: { sessionId, projectHash, ...kind } })}\n`
    const isEnded = bytes.size === 0 || bytes.range(bytes.size - 1, bytes.size)[0] === NEWLINE
    return {
      start: bytes.size,
      end: bytes.size,
      bytes: Buffer.from(isEnded ? line : `\n${line}`),
      reason: 'Add a record at the end that names the session and its project',
    }
  },
}

/** The rest of the header itself, if its start is left. */
function tornNames({ index, bytes }: LogView): Json {
  const end = index.length === 0 ? bytes.size : index.start(0)
  const text = bytes.range(0, Math.min(end, MAX_HEADER_BYTES)).toString('utf8')
  const names: Json = {}
  for (const name of ['sessionId', 'projectHash']) {
    const value = new RegExp(`"${name}"\\s*:\\s*"([\\w-]+)"`).exec(text)?.[1]
    if (value !== undefined) names[name] = value
  }
  return names
}

function saysSubagent({ bytes, index }: LogView): boolean {
  for (let record = index.length - 1; record >= 0; record--) {
    const kind = index.isSuspect(record) ? factsIn(bytes, index, record)['kind'] : undefined
    if (kind !== undefined) return kind === 'subagent'
  }
  return false
}

const MAX_HEADER_BYTES = 4 * 1024
/** More headers of the same project add nothing. */
const MAX_BESIDE = 50

/**
 * The headers of the other logs in the folder: all belong to one project, and a resume starts a new file for
 * the same session.
 */
function namesBeside(session: SessionRef): Json[] {
  const others = listFolder(dirname(session.filePath)).filter(
    ({ name, path, isFolder, isLink }) =>
      !isFolder && !isLink && path !== session.filePath && parseName(name)?.generation === JSON_LINES,
  )
  return others.slice(-MAX_BESIDE).flatMap(({ path }) => {
    try {
      return headerIn(path, session.storeRoot)
    } catch (error) {
      // A file that cannot be read is skipped: the next may have the names.
      if (error instanceof RethreadError) return []
      throw error
    }
  })
}

function headerIn(path: string, storeRoot: string): Json[] {
  const file = openFile(path, storeRoot)
  try {
    const head = file.range(0, Math.min(file.identity.size, MAX_HEADER_BYTES))
    const end = head.indexOf(NEWLINE)
    const record = asObject(parseObject(head.subarray(0, Math.max(0, end))))
    return record !== undefined && asText(record['projectHash']) !== undefined ? [record] : []
  } finally {
    file.close()
  }
}

/**
 * A session's file name has the first eight characters of the id, which is enough for the agent. A
 * subagent's has the whole id.
 */
function sessionIdFrom(session: SessionRef, beside: Json[]): string | undefined {
  const base = parseName(basename(session.filePath))?.base
  if (base === undefined) return undefined
  const short = /^session-.*-(\w{8})$/.exec(base)?.[1]
  if (short === undefined) return session.subagentOf === undefined ? undefined : base
  const full = new Set(beside.flatMap(({ sessionId }) => asText(sessionId) ?? []).filter(id => id.startsWith(short)))
  const [only] = full
  return full.size === 1 ? only : short
}

function projectHashFrom(session: SessionRef, beside: Json[]): string | undefined {
  const hashes = new Set(beside.flatMap(({ projectHash }) => asText(projectHash) ?? []))
  const [only] = hashes
  if (hashes.size === 1) return only
  // Early versions named the folder of a project by its hash.
  const folder = /[\\/]([0-9a-f]{64})[\\/]chats[\\/]/.exec(session.filePath)?.[1]
  if (folder !== undefined) return folder
  return session.project === undefined ? undefined : createHash('sha256').update(session.project).digest('hex')
}
