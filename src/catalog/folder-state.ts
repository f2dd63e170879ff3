// Whether the folder that a resume needs is there.
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import { findStore } from '../agents/store.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'

export interface NeededFolder {
  path: string
  /** `not-a-folder`: something else has this name. `unknown`: the folder may not be read. */
  state: 'there' | 'gone' | 'not-a-folder' | 'unknown'
  /** The agent also finds the session from any other folder. */
  isFree: boolean
}

/** Whether the agent finds the sessions of a store from any folder. */
export function isFree(
  agent: Agent,
  session: Pick<SessionRef, 'generation'>,
  { environment }: { environment: Environment },
): boolean {
  return findStore(agent, session)?.resumesAnywhere?.(environment) === true
}

export function folderState(path: string): NeededFolder['state'] {
  try {
    const stats = statIfThere(path, 'stat')
    if (stats === undefined) return 'gone'
    return stats.isDirectory() ? 'there' : 'not-a-folder'
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return 'unknown'
  }
}
