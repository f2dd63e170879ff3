// projects/<dashed folder>/agent-transcripts: one file for each session, in its own folder or (older) beside
// the others, as JSON lines or (older) as text.
import { basename, join } from 'node:path'
import { statPath } from '../../../disk/files/read.ts'
import { failureOf } from '../../../model/errors.ts'
import type { Environment } from '../../environment.ts'
import type { Found, Location } from '../../store.ts'
import { listInside, listStore } from '../../stores/list-folders.ts'
import { AGENT, projectsFolder, TRANSCRIPTS } from '../places.ts'

export const JSON_LINES = 'transcripts'
export const TEXT = 'transcripts-text'

export interface Transcript {
  id: string
  path: string
  generation: typeof JSON_LINES | typeof TEXT
  /** The dashed name of the project's folder. */
  project: string
  subagentOf?: string
}

export type Listed = { type: 'transcript'; transcript: Transcript } | Extract<Found, { type: 'failure' }>

export function* listTranscripts(location: Location): Generator<Listed, void, void> {
  const projects = listStore(AGENT, location)
  yield* onlyFailures(projects.failures)
  for (const project of projects.folders) yield* listProject(location, project.name, join(project.path, TRANSCRIPTS))
}

/**
 * The sessions that have a transcript, for callers that need a backup. Listing the transcripts reports
 * unreadable folders.
 */
export function transcriptIds(environment: Environment): Set<string> {
  const path = projectsFolder(environment)
  const listed = [...listTranscripts({ path, root: path })]
  return new Set(listed.flatMap(item => (item.type === 'transcript' ? [item.transcript.id] : [])))
}

function* listProject(location: Location, project: string, folder: string): Generator<Listed, void, void> {
  const top = listInside(AGENT, location, folder)
  yield* onlyFailures(top.failures)
  const own: Transcript[] = []
  for (const session of top.folders) {
    const inside = listInside(AGENT, location, session.path)
    yield* onlyFailures(inside.failures)
    own.push(...inside.files.flatMap(({ path }) => transcriptAt(path, project)))
    const below = listInside(AGENT, location, join(session.path, 'subagents'))
    yield* onlyFailures(below.failures)
    const subagents = below.files.flatMap(({ path }) => transcriptAt(path, project))
    yield* eachOnce(subagents.map(transcript => ({ ...transcript, subagentOf: session.name })))
  }
  yield* eachOnce([...own, ...top.files.flatMap(({ path }) => transcriptAt(path, project))])
}

function transcriptAt(path: string, project: string): Transcript[] {
  if (path.endsWith('.jsonl')) return [{ id: basename(path, '.jsonl'), path, generation: JSON_LINES, project }]
  if (path.endsWith('.txt')) return [{ id: basename(path, '.txt'), path, generation: TEXT, project }]
  return []
}

/**
 * A session may have been rewritten in a newer form. Of its files, the newest form that is not empty counts.
 */
function* eachOnce(transcripts: Transcript[]): Generator<Listed, void, void> {
  const byId = Map.groupBy(transcripts, transcript => transcript.id)
  for (const files of byId.values()) {
    try {
      const newestFirst = files.toSorted((a, b) => rank(a) - rank(b))
      const transcript =
        newestFirst.find(({ path }) => files.length === 1 || statPath(path).size > 0n) ?? newestFirst[0]
      if (transcript !== undefined) yield { type: 'transcript', transcript }
    } catch (error) {
      yield { type: 'failure', failure: failureOf(AGENT, error, files[0]?.path) }
    }
  }
}

/** JSON lines before text. Within a form, the order of discovery, folders first. */
function rank(transcript: Transcript): number {
  return transcript.generation === JSON_LINES ? 0 : 1
}

function onlyFailures(found: Found[]): Extract<Found, { type: 'failure' }>[] {
  return found.filter(item => item.type === 'failure')
}
