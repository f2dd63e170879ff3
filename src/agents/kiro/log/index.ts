// A log of JSON lines for each session, with a metadata file: beside it (`cli`), or in one folder with it
// (`v3`).
import { basename, dirname } from 'node:path'
import { idValue, words } from '../../../model/program.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { idLike, PLAIN_NAME, UUID, uuid } from '../../../model/session-id.ts'
import { joinIn } from '../../environment.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Location, Resume, Store, Traits } from '../../store.ts'
import { logArchive } from '../archive.ts'
import { kiroHome } from '../folders.ts'
import { CLI, discoverFolders, discoverPairs, V3, WITHOUT_LOG } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

const parts: Store['parts'] = () => import('./parts.ts').then(module => module.parts)

const TRAITS: Traits = {
  framing: 'json-lines',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: true,
  appendOnly: true,
}

const repair: Store['repair'] = () => import('./repair.ts').then(module => module.repair)

export const cli: Store = {
  name: CLI,
  title: 'JSON lines with a metadata file',
  sessionId: UUID,
  traits: TRAITS,
  locations: environment => [folder(joinIn(environment, kiroHome(environment), 'sessions', 'cli'))],
  discover: discoverPairs,
  read,
  parts,
  recognise(path, head) {
    const isLog = /"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"/.test(head.toString('latin1'))
    return path.endsWith('.jsonl') && isLog ? basename(path, '.jsonl') : undefined
  },
  resume,
  repair,
  archive: logArchive,
  listing: () => import('./listing.ts').then(module => module.listing),
}

export const v3: Store = {
  name: V3,
  title: 'a folder with JSON lines',
  // The name of the session's folder.
  sessionId: idLike(`sess_[\\w-]{1,64}|${uuid}`),
  subagentId: PLAIN_NAME,
  traits: TRAITS,
  locations: environment => [folder(joinIn(environment, kiroHome(environment), 'sessions'))],
  discover: discoverFolders,
  read,
  parts,
  recognise(path, head) {
    const isLog = basename(path) === 'messages.jsonl' && /"payload"\s*:\s*\{\s*"type"/.test(head.toString('latin1'))
    return isLog ? basename(dirname(path)) : undefined
  },
  resume(session, facts) {
    if (session.subagentOf === undefined) return resume(session, facts)
    return {
      type: 'unsupported',
      reason: 'A subagent cannot be resumed on its own; resume the session it belongs to.',
    }
  },
  repair,
  archive: logArchive,
}

/** Sessions of the two other stores whose log is gone. */
export const withoutLog: Store = {
  name: WITHOUT_LOG,
  title: 'metadata of a session whose log is gone',
  sessionId: PLAIN_NAME,
  traits: { ...TRAITS, framing: 'json-document', appendOnly: false },
  locations: () => [],
  discover: discoverPairs,
  read,
  resume: () => ({
    type: 'unsupported',
    reason: 'The log with the conversation is gone; only its metadata file is left.',
  }),
}

function resume(session: SessionRef, facts: SessionFacts): Resume {
  return {
    type: 'command',
    command: 'kiro-cli',
    words: words('chat', '--resume-id', idValue(session.sessionId)),
    folder: facts.project,
  }
}

function folder(path: string): Location {
  return { path, root: path }
}
