// Beside a session: which project its folder belongs to.
import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import type { StoreArchive } from '../archive.ts'
import { asObject, type Json } from '../stores/values.ts'
import { registryEntry } from './projects.ts'
import { agentFolder } from './sessions.ts'

/** The name of a file holds the start of the id. */
const SHORT_LENGTH = 8

const archive: StoreArchive = {
  beside(session, environment) {
    if (session.subagentOf !== undefined) return []
    const project = dirname(dirname(session.filePath))
    return [join(project, '.project_root'), join(agentFolder(environment), 'projects.json')].map(path => ({
      path,
      kind: 'document',
      isShared: true,
    }))
  },
  folders: environment => [agentFolder(environment)],
  lostEntry({ path, present, archived }, session) {
    if (basename(path) !== 'projects.json') return undefined
    const name = basename(dirname(dirname(session.filePath)))
    const folder = Object.entries(projectsIn(archived) ?? {}).find(([, each]) => each === name)?.[0]
    const registered = projectsIn(present)
    if (folder === undefined || registered === undefined) return undefined
    const isTaken = registered[folder] !== undefined || Object.values(registered).includes(name)
    return isTaken ? undefined : registryEntry(present, folder, name, Object.keys(registered).length === 0)
  },
  renew({ sessionId }) {
    const fresh = randomUUID()
    const short = (id: string) => `-${id.slice(0, SHORT_LENGTH)}.`
    return {
      sessionId: fresh,
      replace: [
        { from: sessionId, to: fresh },
        { from: short(sessionId), to: short(fresh), isOnlyInPath: true },
      ],
    }
  },
}

function projectsIn(registry: Buffer): Json | undefined {
  return asObject(parseObject(registry)?.['projects'])
}

/** The agent deletes sessions by the time in the log, which is that of the last change of facts. */
export const logArchive: StoreArchive = {
  ...archive,
  refresh(content, now) {
    const end = content.length === 0 || content.at(-1) === NEWLINE ? '' : '\n'
    return Buffer.concat([content, Buffer.from(`${end}${JSON.stringify({ $set: { lastUpdated: now } })}\n`)])
  },
}

const NEWLINE = 0x0a
/** The facts come before the messages. */
const UPDATED =
  /^(\s*\{(?:\s*"(?:sessionId|projectHash|startTime)"\s*:\s*"[^"\\]*"\s*,)*\s*"lastUpdated"\s*:\s*")([^"\\]*)"/

export const documentArchive: StoreArchive = {
  ...archive,
  refresh(content, now) {
    const [, before, time] = UPDATED.exec(content.toString('latin1', 0, HEAD_BYTES)) ?? []
    if (before === undefined || time === undefined) return content
    return Buffer.concat([
      content.subarray(0, before.length),
      Buffer.from(now),
      content.subarray(before.length + time.length),
    ])
  },
}

const HEAD_BYTES = 4096
