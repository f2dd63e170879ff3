// Examines every conversation of a workspace before anything is changed. Of a healthy conversation only the
// path of its config is stored.
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Failure } from '../../../model/errors.ts'
import type { Problem, ReportEntry, SanitizeOptions } from '../../sanitizer.ts'
import { type CopyState, classifyAlone, classifyConversation } from '../classify/index.ts'
import { type FileState, isHealthy } from '../classify/state.ts'
import { type ConversationFolder, type JpConversation, listConversations } from '../conversations.ts'
import { ACTIVE, ARCHIVED, BASE_CONFIG, EVENTS, INIT_CONFIG, MANAGED } from '../names.ts'
import type { Workspace } from '../roots.ts'
import type { Donor } from './config-sources.ts'
import { conditionText, type Diagnosis, diagnose, diagnoseRepair, hasDamagedInit } from './diagnosis.ts'
import type { HealthyCache } from './healthy-cache.ts'
import { entryFor } from './job.ts'
import { canBeSalvaged } from './plan-events.ts'

export interface Damaged {
  conversation: JpConversation
  diagnosis: Diagnosis['type']
  /** The conversation is trashed if no user can be asked. */
  isTrashed: boolean
  /** The problems that a user must decide. */
  problems: Problem[]
}

export interface Examined {
  total: number
  damaged: Damaged[]
  donors: Donor[]
  noticed: ReportEntry[]
  /** Folders that could not be listed. They may hold other copies. */
  failures: Failure[]
  isInterrupted: boolean
}

const TURN_MS = 15

export async function examineAll(
  workspace: Workspace,
  {
    onProgress,
    signal,
    decide,
    salvage,
    only,
    known,
  }: Pick<SanitizeOptions, 'onProgress' | 'signal' | 'decide' | 'salvage' | 'only'> & { known?: HealthyCache },
): Promise<Examined> {
  const { conversations, failures } = listConversations(workspace, [ACTIVE, ARCHIVED])
  const total = conversations.filter(conversation => isWanted(conversation, only)).length
  const examined: Examined = { total, damaged: [], donors: [], noticed: [], failures, isInterrupted: false }
  let done = 0
  let turnStarted = performance.now()
  for (const conversation of conversations) {
    if (signal?.aborted) return { ...examined, isInterrupted: true }
    if (isWanted(conversation, only)) {
      if (known?.has(conversation)) examined.donors.push(...conversation.folders.flatMap(knownDonor).slice(0, 1))
      else if (examineOne(conversation, examined, decide.isInteractive, salvage === true)) known?.add(conversation)
      onProgress?.(++done, total, 'examining')
    } else examined.donors.push(...conversation.folders.flatMap(donorIn).slice(0, 1))
    if (performance.now() - turnStarted > TURN_MS) {
      await nextTurn()
      turnStarted = performance.now()
    }
  }
  return examined
}

/** Returns whether the conversation is healthy, and stays so while its own files do not change. */
function examineOne(
  conversation: JpConversation,
  examined: Examined,
  isInteractive: boolean,
  salvages: boolean,
): boolean {
  const state = classifyConversation(conversation)
  examined.donors.push(...state.copies.flatMap(donorOf).slice(0, 1))
  const links = state.copies.flatMap(linksIn)
  examined.noticed.push(...links)
  const diagnosis = diagnose(state)
  if (diagnosis.type === 'nothing') return links.length === 0
  examined.damaged.push({
    conversation,
    diagnosis: diagnosis.type,
    isTrashed: isTrashed(diagnosis, conversation, isInteractive, salvages),
    problems: problemsIn(diagnosis),
  })
  return false
}

/** Reports links to healthy files. JP follows them, so the conversation changes with their targets. */
function linksIn({ files, folder }: CopyState): ReportEntry[] {
  return MANAGED.flatMap(file => {
    const { linkTarget } = files[file]
    if (linkTarget === undefined || !isHealthy(files[file])) return []
    const text = `${file} is a link to ${linkTarget}; it is loaded, and changes with what it leads to`
    return [entryFor('noticed', folder, text, { file })]
  })
}

function isWanted({ folders }: JpConversation, only: SanitizeOptions['only']): boolean {
  return (
    only === undefined || folders.some(({ path }) => only.some(wanted => wanted === path || dirname(wanted) === path))
  )
}

function donorOf({ files, folder }: CopyState): Donor[] {
  return donorFrom(files[BASE_CONFIG], folder)
}

/** A donor is checked again before it is used. */
function knownDonor({ parsed, path, root }: ConversationFolder): Donor[] {
  return parsed.type === 'unparseable' ? [] : [{ id: parsed.id, path: join(path, BASE_CONFIG), root: root.within }]
}

function donorIn(folder: ConversationFolder): Donor[] {
  return donorFrom(classifyAlone(folder, BASE_CONFIG).state, folder)
}

function donorFrom(state: FileState, folder: ConversationFolder): Donor[] {
  if (!isHealthy(state) || folder.parsed.type === 'unparseable') return []
  return [{ id: folder.parsed.id, path: state.path, root: folder.root.within }]
}

/** Whether a run without a user trashes the conversation. */
function isTrashed(
  diagnosis: Diagnosis,
  { place }: JpConversation,
  isInteractive: boolean,
  salvages: boolean,
): boolean {
  if (place !== ACTIVE) return false
  if (diagnosis.type === 'trash') return true
  if (diagnosis.type === 'name') return !isInteractive
  if (diagnosis.type !== 'repair' || diagnosis.events.type !== 'decide' || diagnosis.events.fallback !== 'trash')
    return false
  return !isInteractive && !(salvages && canBeSalvaged(diagnosis.events.copy, diagnosis.copies))
}

function problemsIn(diagnosis: Diagnosis): Problem[] {
  if (diagnosis.type === 'name') {
    const [copy] = diagnosis.copies
    const named = copy === undefined ? [] : [nameProblemOf(copy, diagnosis.error)]
    return [...named, ...problemsIn(diagnoseRepair(diagnosis.copies))]
  }
  if (diagnosis.type !== 'repair') return []
  const { events, copies } = diagnosis
  const asked = events.type === 'decide' ? [problemOf(events.copy, EVENTS)] : []
  const damaged = copies.find(hasDamagedInit)
  const hasSound = copies.some(({ files }) => isHealthy(files[INIT_CONFIG]))
  return damaged === undefined || hasSound ? asked : [...asked, problemOf(damaged, INIT_CONFIG)]
}

function problemOf({ files, folder }: CopyState, file: typeof EVENTS | typeof INIT_CONFIG): Problem {
  const state = files[file]
  const about = file === EVENTS ? 'events' : 'flags'
  const text = conditionText(state)
  return { about, conversation: folder.name, root: folder.root.path, file, path: state.path, text }
}

function nameProblemOf({ folder: { name, root, path } }: CopyState, text: string): Problem {
  return { about: 'name', conversation: name, root: root.path, file: name, path, text }
}
