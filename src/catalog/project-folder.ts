// The folder in which a conversation was held. Most agents find a session only there, so a resume needs it.

import { resumeOf } from '../agents/resume.ts'
import { paste, quote } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Note, Verdict } from '../model/verdict.ts'
import type { Context } from './context.ts'
import { folderState, isFree, type NeededFolder } from './folder-state.ts'
import type { Summaries } from './summaries.ts'
import { openSummaries } from './summaries.ts'

type FolderContext = Pick<Context, 'agents' | 'environment'>

/** The states of folders by their paths, for many sessions at once: most of them share a few folders. */
export type FolderStates = Map<string, NeededFolder['state']>

/**
 * The folder that a resume of the session needs; undefined where none is needed or the session does not name
 * it.
 */
export function neededFolder(
  place: FolderContext,
  session: SessionRef,
  project: string | undefined,
  states: FolderStates = new Map(),
): NeededFolder | undefined {
  const agent = place.agents.find(({ id }) => id === session.agent)
  if (agent === undefined || session.isFromMemory === true) return undefined
  const resume = resumeOf(agent, session, project === undefined ? {} : { project })
  if (resume.type !== 'command' || resume.folder === undefined) return undefined
  const path = resume.folder
  const state = states.get(path) ?? folderState(path)
  states.set(path, state)
  return { path, state, isFree: isFree(agent, session, place) }
}

/**
 * For `Verdict.notes`. Computed each time, because a folder can appear or disappear without a change of the
 * session.
 */
export function folderNotes(
  place: FolderContext,
  session: SessionRef,
  project: string | undefined,
  states?: FolderStates,
): Note[] {
  return notesOn(place, session, neededFolder(place, session, project, states))
}

/** The same for a folder that is known. */
export function notesOn(place: FolderContext, session: SessionRef, folder: NeededFolder | undefined): Note[] {
  if (folder === undefined || folder.state === 'there' || folder.state === 'unknown') return []
  const title = place.agents.find(({ id }) => id === session.agent)?.title ?? session.agent
  return [noteOn(folder, title, session)]
}

function noteOn({ path, state, isFree: isAnywhere }: NeededFolder, title: string, { sessionId }: SessionRef): Note {
  const what = state === 'gone' ? 'no longer exists' : 'is no longer a folder'
  const needs = isAnywhere ? `${title} needs a folder to resume in.` : `${title} can resume it only from that folder.`
  const ways = [
    ...(isAnywhere ? [`Resume it in another folder: ${paste('rethread resume --in DIR', sessionId)}`] : []),
    ...(state === 'gone'
      ? [`Create the folder and resume: ${paste('rethread resume --make-folder', sessionId)}`]
      : [`See what is there: ls -ld ${quote(path)}`]),
  ]
  return {
    code: 'project-folder-gone',
    text: `The project folder of this conversation, ${path}, ${what}. ${needs}`,
    hint: ways.join('\n'),
    offers: offersOf({ state, isFree: isAnywhere }),
  }
}

/** What to offer instead of a missing folder. */
export function offersOf({ state, isFree: isAnywhere }: Pick<NeededFolder, 'state' | 'isFree'>): Note['offers'] {
  return [...(state === 'gone' ? (['make-folder'] as const) : []), ...(isAnywhere ? (['other-folder'] as const) : [])]
}

/** Adds notes on what is not damage of a session but hinders its resume. */
export async function withFolderNotes(
  context: Context,
  sessions: readonly SessionRef[],
  verdicts: readonly Verdict[],
  projects: ReadonlyMap<SessionRef, string> = new Map(),
  onFolder?: (session: SessionRef, folder: NeededFolder | undefined) => void,
): Promise<Verdict[]> {
  const sessionOf = makeSessionOf(sessions)
  const { projectOf, close } = makeProjectOf(context)
  const states: FolderStates = new Map()
  try {
    const noted: Verdict[] = []
    for (const [index, verdict] of verdicts.entries()) {
      const session = sessionOf(verdict, index)
      const isThere = verdict.status !== 'missing' && verdict.status !== 'unreadable'
      if (session === undefined || !isThere) {
        noted.push(verdict)
        continue
      }
      const known = session.project ?? projects.get(session)
      const project = known === undefined ? await projectOf(session) : { project: known }
      const folder = neededFolder(context, session, project?.project, states)
      if (project !== undefined) onFolder?.(session, folder)
      const notes = notesOn(context, session, folder)
      noted.push(notes.length === 0 ? verdict : { ...verdict, notes })
    }
    return noted
  } finally {
    close()
  }
}

/** Verdicts are usually in the order of the sessions. */
function makeSessionOf(sessions: readonly SessionRef[]) {
  let byKey: Map<string, SessionRef> | undefined
  return (verdict: Verdict, index: number): SessionRef | undefined => {
    const session = sessions[index]
    if (session !== undefined && isOn(verdict, session)) return session
    byKey ??= new Map(sessions.map(each => [keyOf(each), each]))
    return byKey.get(keyOf(verdict))
  }
}

function isOn(verdict: Verdict, { agent, sessionId, filePath }: SessionRef): boolean {
  return verdict.filePath === filePath && verdict.sessionId === sessionId && verdict.agent === agent
}

function keyOf({ agent, sessionId, filePath }: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): string {
  return JSON.stringify([agent, sessionId, filePath])
}

/** Larger sessions are not read only for this. A cached summary is still used. */
const MAX_READ_BYTES = 64 * 1024 * 1024

/** The project folder of each session. Undefined where it is not known and cannot be read quickly. */
function makeProjectOf(context: Context) {
  let summaries: Summaries | undefined
  let left = MAX_READ_BYTES
  return {
    async projectOf(session: SessionRef): Promise<{ project: string | undefined } | undefined> {
      summaries ??= openSummaries(context)
      const known = summaries.known(session)
      if (known !== undefined) return { project: known.project }
      if (session.fileSize > left) return undefined
      left -= session.fileSize
      const { project, failure } = await summaries.learn(session)
      return failure === undefined ? { project } : undefined
    },
    close: () => summaries?.close(),
  }
}
