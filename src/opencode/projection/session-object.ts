// Builds the session object for clients from its row, its metadata, and its view if there is one.
import type { JournalSession } from '../../journal/store/store.ts'
import { projectId, slugOf, toWireId } from '../ids.ts'
import { noTokens, type Tokens } from '../shapes/part.ts'
import type { FileDiff, Session, SessionMetadata } from '../shapes/session.ts'

/** Facts that only the events provide. */
export interface EventFacts {
  title: string | undefined
  firstWords: string | undefined
  updatedAt: number
  cost: number
  tokens: Tokens
  diff: readonly FileDiff[]
}

export interface SessionOptions {
  version: string
  /** The model of an agent where none was chosen. */
  modelOf(agent: string): string
  /** The root of a folder's repository. */
  rootOf(directory: string): string
}

export const DEFAULT_OPTIONS: SessionOptions = {
  version: '0',
  modelOf: () => 'default',
  rootOf: directory => directory,
}

export type ModelChoice = Pick<Session, 'providerID' | 'modelID'>

export function modelOf(session: JournalSession, metadata: SessionMetadata, options: SessionOptions): ModelChoice {
  const providerID = metadata.providerID ?? session.agent
  return { providerID, modelID: metadata.modelID ?? options.modelOf(providerID) }
}

/** Without `facts`: what is known without reading the events. */
export function makeSession(
  session: JournalSession,
  metadata: SessionMetadata,
  options: SessionOptions,
  facts?: EventFacts,
): Session {
  const id = toWireId(session.id, metadata.isGivenId)
  const model = modelOf(session, metadata, options)
  const { parent, permissionMode, permission, time } = metadata
  return {
    id,
    slug: slugOf(session.id),
    projectID: projectId(options.rootOf(session.cwd)),
    directory: session.cwd,
    ...(parent === undefined ? {} : { parentID: toWireId(parent) }),
    title: titleOf(session, metadata, facts),
    version: options.version,
    time: {
      created: session.createdAt,
      updated: Math.max(session.createdAt, facts?.updatedAt ?? session.lastEventAt ?? 0, metadata.updatedAt ?? 0),
      ...(time?.archived === undefined ? {} : { archived: time.archived }),
    },
    agent: model.providerID,
    model: model.modelID,
    ...model,
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(permission === undefined ? {} : { permission }),
    ...summaryOf(facts?.diff ?? []),
    cost: facts?.cost ?? 0,
    tokens: facts?.tokens ?? noTokens(),
    ...metadataOf(session, metadata),
  }
}

/** What a person set wins, then what the agent set, then the beginning of the first message. */
function titleOf(session: JournalSession, metadata: SessionMetadata, facts: EventFacts | undefined): string {
  const given = metadata.title ?? facts?.title ?? metadata.agentTitle
  return given ?? facts?.firstWords ?? metadata.firstWords ?? defaultTitle(session, metadata)
}

/** Marks a session of which only the events could be read. */
export const REBUILT_MARK = 'rethread/rebuilt'

function metadataOf({ rebuilt = [] }: JournalSession, metadata: SessionMetadata): Pick<Session, 'metadata'> {
  const columns = [...new Set([...rebuilt, ...(metadata.rebuilt ?? [])])]
  if (columns.length > 0) return { metadata: { ...metadata.metadata, [REBUILT_MARK]: columns } }
  return metadata.metadata === undefined ? {} : { metadata: metadata.metadata }
}

function defaultTitle({ createdAt }: JournalSession, { parent }: SessionMetadata): string {
  return `${parent === undefined ? 'New' : 'Child'} session - ${new Date(createdAt).toISOString()}`
}

function summaryOf(diff: readonly FileDiff[]): Pick<Session, 'summary'> {
  if (diff.length === 0) return {}
  const additions = diff.reduce((sum, file) => sum + file.additions, 0)
  const deletions = diff.reduce((sum, file) => sum + file.deletions, 0)
  return { summary: { additions, deletions, files: diff.length } }
}
