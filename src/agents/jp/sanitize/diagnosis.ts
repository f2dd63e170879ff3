// What the decision table says about one conversation: from the states of its files to what is to be done, before anything is asked, read again or changed.

import type { ConversationState, CopyState } from '../classify/index.ts'
import { copyTimes } from '../classify/index.ts'
import type { Condition, FileState } from '../classify/state.ts'
import { faultText, isBlocked, isHealthy } from '../classify/state.ts'
import { resolveStream } from '../conversations.ts'
import { validatorText } from '../loader.ts'
import type { ManagedFile } from '../names.ts'
import { ACTIVE, EVENTS, INIT_CONFIG, MANAGED, METADATA } from '../names.ts'
import { eventsErrorText } from './events-problem.ts'

export type Diagnosis =
  | { type: 'nothing' }
  /** Nothing of it may be changed. */
  | { type: 'blocked'; copy: CopyState; state: FileState; text: string }
  /** As a whole, without asking: nothing of a conversation is in it. */
  | { type: 'trash'; copies: CopyState[]; file: ManagedFile | undefined; error: string }
  /** A conversation, in folders without an id: it needs a name first. Trashed where nobody can be asked. */
  | { type: 'name'; copies: CopyState[]; error: string }
  | RepairDiagnosis

export interface RepairDiagnosis {
  type: 'repair'
  copies: CopyState[]
  events: EventsDiagnosis
}

export type EventsDiagnosis =
  /** Each copy is sound, or none can be told apart from one that is. */
  | { type: 'sound' }
  /** The damaged copies are made from the sound one. */
  | { type: 'copy'; from: CopyState; to: CopyState[] }
  /** Damaged in every copy: `copy` is the one that JP takes. `fallback` is for where nobody can be asked. */
  | { type: 'decide'; copy: CopyState; fallback: 'trash' | 'locked-out' | 'blocked'; error: string }

/** In JP's own words. */
const BAD_NAME = 'invalid directory name'

/** Folders with nothing in them that is a conversation's. Their other copy must not be copied into them: it may be there on purpose alone. */
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
  const sound = newest(copies.filter(({ files }) => isHealthy(files[EVENTS])))
  if (sound !== undefined) return { type: 'copy', from: sound, to: damaged }
  const copy = newest(damaged) ?? damaged[0]
  if (copy === undefined) return { type: 'sound' }
  const { condition } = copy.files[EVENTS]
  const error = isOldLayout(copy) ? OLD_LAYOUT : eventsErrorText(condition)
  return { type: 'decide', copy, fallback: fallbackOf(copy, condition), error }
}

/** The one that JP would take. */
export function newest(copies: readonly CopyState[]): CopyState | undefined {
  return resolveStream(copies.map(copy => ({ ...copyTimes(copy.folder.root, copy.files), copy })))?.copy
}

const OLD_LAYOUT = `missing ${EVENTS}: what was said is in messages.json, as JP kept it before it had events. The next command of JP moves it to its trash; rethread show reads it there, too`

/** Not damaged, only older than what JP reads today. */
function isOldLayout({ files, hasOldMessages }: CopyState): boolean {
  return hasOldMessages && files[EVENTS].condition.type === 'missing'
}

/** What JP itself would not trash is not trashed by us either, unless a person says so. It never looks into its archive. */
function fallbackOf(copy: CopyState, condition: Condition): 'trash' | 'locked-out' | 'blocked' {
  const { folder } = copy
  if (isOldLayout(copy)) return 'locked-out'
  const bad = condition.type === 'link-to-bad' ? condition.found : condition
  if (bad.type === 'is-a-directory') return 'blocked'
  if (folder.place !== ACTIVE) return 'locked-out'
  if (bad.type === 'missing' || bad.type === 'link-dangling') return 'trash'
  return validatorText(bad) === undefined ? 'locked-out' : 'trash'
}

/** What is wrong with a file, in a few words for a line of the report. */
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

/** The overrides of the start are lost to this copy. */
export function hasDamagedInit({ files }: CopyState): boolean {
  const { condition } = files[INIT_CONFIG]
  return condition.type !== 'missing' && condition.type !== 'healthy'
}
