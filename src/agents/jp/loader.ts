// The layout of a conversation, and what JP does with it. At each start JP validates every conversation and
// moves those that fail to its trash. It parses the rest of the files only when it loads the conversation.
import type { EventsFacts } from './classify/classify-file.ts'
import type { Condition, FileState } from './classify/state.ts'
import { faultText, isThere } from './classify/state.ts'
import type { FolderName } from './ids.ts'
import type { ManagedFile, PlaceName } from './names.ts'
import { ACTIVE, BASE_CONFIG, EVENTS, METADATA } from './names.ts'

export type JpLayout =
  /** metadata.json, base_config.json, events.json: the current layout. */
  | 'three-files'
  /** The same with init_config.json, which is a draft that no JP reads. */
  | 'init-file'
  /** No base_config.json. The first event is a config_delta with the whole config. */
  | 'legacy'
  /** The config is in the first event itself. JP reads it as empty and cannot load the conversation. */
  | 'legacy-inline'
  /** messages.json without events.json, from before November 2025. JP trashes it. */
  | 'messages'
  /** The layout cannot be determined. */
  | 'unknown'

interface LayoutFacts {
  hasBaseConfig: boolean
  hasInitConfig: boolean
  hasEvents: boolean
  hasOldMessages: boolean
  events: EventsFacts | undefined
}

export function layoutOf(facts: LayoutFacts): JpLayout {
  if (!facts.hasEvents) return facts.hasOldMessages ? 'messages' : 'unknown'
  if (facts.hasBaseConfig) return facts.hasInitConfig ? 'init-file' : 'three-files'
  if (facts.events?.first === 'config-delta') return 'legacy'
  return facts.events?.first === 'inline-config' ? 'legacy-inline' : 'unknown'
}

/**
 * The base config is in the events. No base_config.json must be created, because JP would then read the first
 * event as a change.
 */
export function keepsBaseInEvents(layout: JpLayout): boolean {
  return layout === 'legacy' || layout === 'legacy-inline' || layout === 'messages'
}

/** JP no longer reads these layouts. They are not damaged. */
export function isOutdated(layout: JpLayout): boolean {
  return layout === 'legacy-inline' || layout === 'messages'
}

export type Judgement =
  | { type: 'loads' }
  /** Every command that needs the conversation fails. JP neither repairs nor trashes it. */
  | { type: 'locked-out'; reason: string; file: ManagedFile | undefined }
  /**
   * The next command of JP moves the conversation to the trash. `error` is the text that JP writes into
   * TRASHED.md.
   */
  | { type: 'trashed'; error: string; file: ManagedFile | undefined }
  /**
   * The file cannot be examined. JP may load or trash the conversation: it treats a missing permission as
   * damage.
   */
  | { type: 'blocked'; reason: string; file: ManagedFile }

interface Judged {
  parsed: FolderName
  place: PlaceName
  files: Record<ManagedFile, FileState>
  layout: JpLayout
  events: EventsFacts | undefined
}

export function judge(judged: Judged): Judgement {
  return (
    findBlocked(judged) ?? (judged.place === ACTIVE ? validate(judged) : undefined) ?? load(judged) ?? { type: 'loads' }
  )
}

/** JP does not validate its archive and its trash. */
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

/** The error that JP's validator reports; undefined if it accepts the file. */
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
    return lockedOut(undefined, `JP searches for a folder whose name starts with ${parsed.id} and does not find it`)
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

/**
 * The error that JP's loader reports; undefined if it accepts the file. A missing base config is checked
 * separately.
 */
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
