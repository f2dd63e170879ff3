// What JP itself makes of one copy of a conversation: at each start it validates, and moves to its trash what fails; what it needs to load, it looks at later, and then fails for good.
import type { EventsFacts } from './classify/classify-events.ts'
import { faultText } from './classify/fault.ts'
import type { Condition, FileState } from './classify/state.ts'
import { isThere } from './classify/state.ts'
import type { FolderName } from './ids.ts'
import type { Layout } from './layout.ts'
import type { ManagedFile, PlaceName } from './names.ts'
import { ACTIVE, BASE_CONFIG, EVENTS, METADATA } from './names.ts'

export type Judgement =
  | { type: 'loads' }
  /** Every command that needs it fails, and JP neither repairs nor trashes it. */
  | { type: 'locked-out'; reason: string; file: ManagedFile | undefined }
  /** The next command of JP, whatever it is, moves it to the trash. `error` is what it writes into TRASHED.md. */
  | { type: 'trashed'; error: string; file: ManagedFile | undefined }
  /** It cannot be examined. JP may load it, or trash it: to JP, no permission is damage. */
  | { type: 'blocked'; reason: string; file: ManagedFile }

export interface Judged {
  parsed: FolderName
  place: PlaceName
  files: Record<ManagedFile, FileState>
  layout: Layout
  events: EventsFacts | undefined
}

export function judge(judged: Judged): Judgement {
  return (
    findBlocked(judged) ?? (judged.place === ACTIVE ? validate(judged) : undefined) ?? load(judged) ?? { type: 'loads' }
  )
}

/** Archive and trash are not validated. */
export function validate({ parsed, files }: Judged): Judgement | undefined {
  if (parsed.type === 'unparseable') return { type: 'trashed', error: 'invalid directory name', file: undefined }
  const metadata = files[METADATA]
  if (!isThere(metadata)) return { type: 'trashed', error: `missing ${METADATA}`, file: METADATA }
  for (const state of [metadata, files[BASE_CONFIG]]) {
    const error = validatorText(state.condition)
    if (error !== undefined) return { type: 'trashed', error: `${state.file}: ${error}`, file: state.file }
  }
  const events = files[EVENTS]
  if (!isThere(events)) return { type: 'trashed', error: `missing ${EVENTS}`, file: EVENTS }
  const error = validatorText(events.condition)
  return error === undefined ? undefined : { type: 'trashed', error: `${EVENTS}: ${error}`, file: EVENTS }
}

/** What the validator sees of a condition; undefined where it lets it pass. */
export function validatorText(condition: Condition): string | undefined {
  switch (condition.type) {
    case 'empty':
    case 'invalid-json':
    case 'truncated':
      return faultText(condition.fault)
    case 'wrong-shape': {
      const seen = condition.faults.find(fault => fault.isSeenByValidator)
      return seen === undefined ? undefined : `${seen.path === '' ? '' : `${seen.path} `}${seen.text}`
    }
    case 'link-to-bad':
      return validatorText(condition.found)
    default:
      return undefined
  }
}

function load({ parsed, files, layout, events }: Judged): Judgement | undefined {
  if (parsed.type === 'noncanonical')
    return lockedOut(undefined, `JP looks for a folder whose name begins with ${parsed.id}, and does not find it`)
  if (parsed.type === 'unparseable') return lockedOut(undefined, 'the name of its folder has no id')
  for (const file of [METADATA, EVENTS] as const)
    if (!isThere(files[file])) return lockedOut(file, `${file} is missing`)
  for (const file of [METADATA, BASE_CONFIG, EVENTS] as const) {
    const reason = loaderText(files[file].condition)
    if (reason !== undefined) return lockedOut(file, `${file}: ${reason}`)
  }
  if (layout === 'legacy-inline')
    return lockedOut(
      EVENTS,
      'its config is in the first event, in a form that newer versions of JP take for an empty one',
    )
  if (layout === 'legacy' && events?.firstFault !== undefined)
    return lockedOut(EVENTS, `the config in the first event: ${events.firstFault}`)
  if (layout === 'unknown')
    return lockedOut(BASE_CONFIG, `${BASE_CONFIG} is missing, and the first event holds no config`)
  return undefined
}

/** What the loader stumbles over; undefined where it does not. A base config that is not there is asked for elsewhere. */
export function loaderText(condition: Condition): string | undefined {
  switch (condition.type) {
    case 'healthy':
    case 'missing':
    case 'is-a-directory':
    case 'not-a-regular-file':
    case 'link-dangling':
      return undefined
    case 'wrong-shape': {
      const [first] = condition.faults
      return first === undefined ? undefined : `${first.path === '' ? '' : `${first.path} `}${first.text}`
    }
    case 'link-to-bad':
      return loaderText(condition.found)
    case 'link-outside':
    case 'too-large':
    case 'blocked':
      return blockedText(condition)
    default:
      return faultText(condition.fault)
  }
}

function findBlocked({ files }: Judged): Judgement | undefined {
  for (const { file, condition } of [files[METADATA], files[BASE_CONFIG], files[EVENTS]]) {
    const reason = blockedText(condition)
    if (reason !== undefined) return { type: 'blocked', reason: `${file}: ${reason}`, file }
  }
  return undefined
}

function blockedText(condition: Condition): string | undefined {
  switch (condition.type) {
    case 'blocked':
      return condition.text
    case 'link-outside':
      return `is a link out of the storage, to ${condition.real}`
    case 'too-large':
      return `is larger than ${condition.limit} bytes`
    case 'link-to-bad':
      return blockedText(condition.found)
    default:
      return undefined
  }
}

function lockedOut(file: ManagedFile | undefined, reason: string): Judgement {
  return { type: 'locked-out', reason, file }
}
