// Finds out whether a session is being written. The signs are the agent's own registry, open files, recent
// changes and running processes of the agent.
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { findStore } from '../agents/store.ts'
import { statIfThere } from '../disk/files/handles.ts'
import type { RunningCommand } from '../disk/processes/running-commands.ts'
import { environmentOf, isCommandOf, listRunningCommands } from '../disk/processes/running-commands.ts'
import type { SeenFiles, WriterSign } from '../disk/processes/writers.ts'
import { findWriter, isRecent } from '../disk/processes/writers.ts'
import type { SessionRef } from '../model/session.ts'
import type { CheckContext } from './check/check.ts'

/** A receipt names only the agent, the id and the file of a session, not its store. */
export type WrittenSession = SessionRef | Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

export interface ActivityOptions {
  /**
   * The user states that the agent is closed, so a recent change does not count. Open files and the agent's
   * registry still count.
   */
  force?: boolean
  /** The files are databases that will be moved, so a process that only reads them counts as well. */
  anyHandle?: boolean
  /** The files as they were before a check that has just ended. */
  seen?: SeenFiles
}

/**
 * Returns a sign that `files` of the session are being written, or undefined. Takes up to two seconds after a
 * recent change.
 */
export async function findActivity(
  context: Pick<CheckContext, 'agents' | 'environment'>,
  session: WrittenSession,
  files: readonly string[],
  { force = false, anyHandle = false, seen }: ActivityOptions = {},
): Promise<WriterSign | undefined> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  const known = 'generation' in session ? session : undefined
  const repair = known === undefined ? undefined : await findStore(agent, known)?.repair?.()
  const sign = known === undefined ? undefined : repair?.liveSign?.(known, context.environment)
  if (sign !== undefined) return sign
  const canRunIn = (folder: string): boolean => known === undefined || repair?.canRunIn?.(known, folder) !== false
  const store = known?.storeRoot ?? dirname(session.filePath)
  const isAgentGone = !force && files.some(isRecentFile) && hasNoAgentProcess(context, agent, store, canRunIn)
  return await findWriter(files, { force, anyHandle, isAgentGone, seen })
}

function isRecentFile(path: string): boolean {
  const stats = statIfThere(path, 'stat')
  return stats !== undefined && isRecent(Number(stats.mtimeMs), Date.now())
}

/**
 * Returns false where this cannot be determined. Many agents open their log only to append a record, so a
 * closed file does not prove that the agent is gone.
 */
function hasNoAgentProcess(
  { environment }: Pick<CheckContext, 'environment'>,
  agent: Agent | undefined,
  store: string,
  canRunIn: (folder: string) => boolean,
): boolean {
  const names = agent?.processNames
  const running = names === undefined ? undefined : listRunningCommands()
  if (names === undefined || running === undefined) return false
  return !running.some(
    command =>
      isCommandOf(command, names) &&
      (command.folder === undefined || canRunIn(command.folder)) &&
      usesStore(command, environment.home, store),
  )
}

/** True also where this cannot be determined. Processes that have another home do not count. */
export function isAgentRunning(context: Pick<CheckContext, 'environment'>, agent: Agent): boolean {
  return !hasNoAgentProcess(context, agent, context.environment.home, () => true)
}

/** Variables that hold paths but never move a store. */
const PATH_VARIABLES = new Set(['HOME', 'PWD', 'OLDPWD', 'TMPDIR', 'TMP', 'TEMP'])

/**
 * A process with another home directory works on other sessions, unless one of its variables points to this
 * store.
 */
function usesStore({ pid }: RunningCommand, home: string, store: string): boolean {
  const variables = environmentOf(pid)
  const processHome = variables?.get('HOME')
  if (variables === undefined || processHome === undefined) return true
  if (isSameFolder(processHome, home)) return true
  return [...variables].some(
    ([name, value]) => !PATH_VARIABLES.has(name) && (containsPath(value, store) || containsPath(store, value)),
  )
}

function containsPath(folder: string, path: string): boolean {
  if (!isAbsolute(folder) || !isAbsolute(path) || resolve(folder) === resolve('/')) return false
  const relativePath = relative(folder, path)
  return !relativePath.startsWith('..') && !isAbsolute(relativePath)
}

function isSameFolder(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true
  const [first, second] = [statIfThere(one, 'stat'), statIfThere(other, 'stat')]
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino
}
