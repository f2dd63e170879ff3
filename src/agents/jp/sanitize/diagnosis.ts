// The decision table for one conversation: from the states of its files to what a run does with it. It asks
// nothing, reads nothing and changes nothing.

import type { ConversationState, CopyState } from '../classify/index.ts'
import { copyTimes, withWritten } from '../classify/index.ts'
import type { Condition, FileState } from '../classify/state.ts'
import { faultText, isBlocked, isHealthy } from '../classify/state.ts'
import { resolveStream } from '../conversations.ts'
import { validatorText } from '../loader.ts'
import type { ManagedFile } from '../names.ts'
import { ACTIVE, EVENTS, INIT_CONFIG, MANAGED, METADATA } from '../names.ts'
import { eventsErrorText } from './events-problem.ts'

export type Diagnosis =
  | { type: 'nothing' }
  /** No file of the conversation may be changed. */
  | { type: 'blocked'; copy: CopyState; state: FileState; text: string }
  /** The folders hold no file of a conversation. They are trashed without a question. */
  | { type: 'trash'; copies: CopyState[]; file: ManagedFile | undefined; error: string }
  /**
   * The folders hold a conversation but have no id. It needs a name first, and is trashed if no user can be
   * asked.
   */
  | { type: 'name'; copies: CopyState[]; error: string }
  | RepairDiagnosis

export interface RepairDiagnosis {
  type: 'repair'
  copies: CopyState[]
  events: EventsDiagnosis
}

export type EventsDiagnosis =
  /** The events of every copy are healthy. */
  | { type: 'sound' }
  /** The damaged copies are replaced by the healthy one. */
  | { type: 'copy'; from: CopyState; to: CopyState[] }
  /**
   * The events are damaged in every copy. `copy` is the one that JP reads. `fallback` applies if no user can
   * be asked.
   */
  | { type: 'decide'; copy: CopyState; fallback: 'trash' | 'locked-out' | 'blocked'; error: string }

/** The wording of JP. */
const BAD_NAME = 'invalid directory name'

/**
 * A folder without any file of a conversation. The other copy is not copied into it, because that copy may be
 * the only one on purpose.
 */
function isEmptyCopy({ files, hasOldMessages }: CopyState): boolean {
  return !hasOldMessages && MANAGED.every(file => files[file].condition.type === 'missing')
}

export function diagnose({
  copies,
  isHealthy: isAllHealthy,
}: Pick<ConversationState, 'copies' | 'isHealthy'>): Diagnosis {
  if (isAllHealthy) return { type: 'nothing' }
  const blocked = findBlocked(copies)
  if (blocked !== undefined) return blocked
  const isNameless = copies.some(({ folder }) => folder.parsed.type === 'unparseable')
  const full = copies.filter(copy => !isEmptyCopy(copy))
  if (full.length < copies.length) {
    const error = isNameless ? BAD_NAME : `missing ${METADATA}`
    return { type: 'trash', copies: copies.filter(isEmptyCopy), file: isNameless ? undefined : METADATA, error }
  }
  return isNameless ? { type: 'name', copies: full, error: BAD_NAME } : diagnoseRepair(full)
}

export function diagnoseRepair(copies: CopyState[]): RepairDiagnosis {
  return { type: 'repair', copies, events: diagnoseEvents(copies) }
}

function findBlocked(copies: readonly CopyState[]): Extract<Diagnosis, { type: 'blocked' }> | undefined {
  for (const copy of copies)
    for (const file of MANAGED) {
      const state = copy.files[file]
      const text = blockedReason(state, state.condition)
      if (text !== undefined) return { type: 'blocked', copy, state, text }
    }
  return undefined
}

function blockedReason(state: FileState, condition: Condition): string | undefined {
  switch (condition.type) {
    case 'link-to-bad':
      return blockedReason(state, condition.found)
    case 'link-outside':
      return state.file === EVENTS ? `${state.file} is a link out of the storage, to ${condition.real}` : undefined
    case 'not-a-regular-file':
      return `${state.file} is a ${condition.kind}, and was not opened`
    case 'too-large':
      return `${state.file} is larger than ${condition.limit} bytes`
    case 'blocked':
      return condition.text
    default:
      return isBlocked(state) ? `${state.file} cannot be examined` : undefined
  }
}

function diagnoseEvents(copies: readonly CopyState[]): EventsDiagnosis {
  const damaged = copies.filter(({ files }) => !isHealthy(files[EVENTS]))
  if (damaged.length === 0) return { type: 'sound' }
  const sound = newest(withWritten(copies).filter(({ files }) => isHealthy(files[EVENTS])))
  if (sound !== undefined) return { type: 'copy', from: sound, to: damaged }
  const copy = newest(damaged) ?? damaged[0]
  if (copy === undefined) return { type: 'sound' }
  const { condition } = copy.files[EVENTS]
  const error = isOldLayout(copy) ? OLD_LAYOUT : eventsErrorText(condition)
  return { type: 'decide', copy, fallback: fallbackOf(copy, condition), error }
}

/** The copy that JP would read. */
export function newest(copies: readonly CopyState[]): CopyState | undefined {
  return resolveStream(copies.map(copy => ({ ...copyTimes(copy.folder.root, copy.files), copy })))?.copy
}

const OLD_LAYOUT = `missing ${EVENTS}: what was said is in messages.json, as JP kept it before it had events. The next command of JP moves it to its trash; rethread show reads it there, too`

/** The layout is not damaged, only older than the layouts that JP reads today. */
function isOldLayout({ files, hasOldMessages }: CopyState): boolean {
  return hasOldMessages && files[EVENTS].condition.type === 'missing'
}

/**
 * rethread only trashes what JP itself would trash, unless the user decides otherwise. JP never validates its
 * archive.
 */
function fallbackOf(copy: CopyState, condition: Condition): 'trash' | 'locked-out' | 'blocked' {
  const { folder } = copy
  if (isOldLayout(copy)) return 'locked-out'
  const bad = condition.type === 'link-to-bad' ? condition.found : condition
  if (bad.type === 'is-a-directory') return 'blocked'
  if (folder.place !== ACTIVE) return 'locked-out'
  if (bad.type === 'missing' || bad.type === 'link-dangling') return 'trash'
  return validatorText(bad) === undefined ? 'locked-out' : 'trash'
}

/** A short description of a file's condition for a line of the report. */
export function conditionText({ file, condition }: FileState): string {
  switch (condition.type) {
    case 'missing':
      return `missing ${file}`
    case 'is-a-directory':
      return `${file} is a directory`
    case 'link-dangling':
      return `${file} is a link to ${condition.target}, where nothing is`
    case 'link-outside':
      return `${file} is a link out of the storage, to ${condition.real}`
    case 'link-to-bad':
      return `${file} is a link, and ${conditionText({ file, path: condition.target, condition: condition.found })}`
    case 'not-a-regular-file':
      return `${file} is a ${condition.kind}`
    case 'too-large':
      return `${file} is larger than ${condition.limit} bytes`
    case 'blocked':
      return condition.text
    case 'wrong-shape': {
      const [first] = condition.faults
      return `${file}: ${first === undefined ? 'is not valid' : `${first.path} ${first.text}`.trim()}`
    }
    case 'healthy':
      return `${file} is sound`
    default:
      return `${file}: ${faultText(condition.fault)}`
  }
}

/** This copy has lost the overrides that the conversation was started with. */
export function hasDamagedInit({ files }: CopyState): boolean {
  const { condition } = files[INIT_CONFIG]
  return condition.type !== 'missing' && condition.type !== 'healthy'
}
