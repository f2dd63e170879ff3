// The findings about the files of a conversation. Their hints name `rethread sanitize` or `rethread trash
// restore`.

import { quote } from '../../../disk/files/system-errors.ts'
import type { Finding, Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { CopyState } from '../classify/index.ts'
import { damagedFiles } from '../classify/index.ts'
import type { Condition, FileState, JsonProblem } from '../classify/state.ts'
import { faultText } from '../classify/state.ts'
import type { Judgement } from '../loader.ts'
import { isOutdated } from '../loader.ts'
import type { PlaceName } from '../names.ts'
import { BASE_CONFIG, EVENTS, METADATA, TRASHED } from '../names.ts'

interface FindingOptions {
  /** The folder to pass to the repair command. */
  folder: string
  sessionId: string
  /** Whether all events could be read despite the damage. */
  isAllRead: boolean
  /** The session was opened by its path outside a storage, so JP does nothing with it. */
  isAdopted: boolean
}

export function findingsOf(copy: CopyState, options: FindingOptions): Finding[] {
  const consequence = options.isAdopted ? '' : consequenceOf(copy.judgement)
  const hint = repairHint(copy.folder.place, options)
  const inFiles = damagedFiles(copy).flatMap(state =>
    describe(state, copy, options).map(described => ({ ...described, hint })),
  )
  const named = describeName(copy).map(described => ({ ...described, hint }))
  // No command repairs an outdated layout, so the hint only shows how to read it.
  const outdated = describeLayout(copy).map(described => ({
    ...described,
    hint: `Read it: ${paste('rethread show', options.sessionId)}`,
  }))
  return [...named, ...outdated, ...inFiles].map(finding => ({ ...finding, text: `${finding.text}${consequence}` }))
}

type FindingWithoutHint = Omit<Finding, 'hint'>

function consequenceOf(judgement: Judgement): string {
  switch (judgement.type) {
    case 'trashed':
      return ' The next command of JP moves the conversation to its trash.'
    case 'locked-out':
      return ' JP cannot load the conversation.'
    case 'loads':
    case 'blocked':
      return ''
  }
}

/** The hint with the command that repairs the conversation. */
export function repairHint(
  place: PlaceName,
  { folder, sessionId }: Pick<FindingOptions, 'folder' | 'sessionId'>,
): string {
  return place === TRASHED
    ? `Repair it and bring it back: ${paste(`rethread trash restore --dir ${quote(folder)}`, sessionId)}`
    : `Repair it before JP runs again: rethread sanitize ${quote(folder)}`
}

function describeName({ folder: { parsed, path } }: CopyState): FindingWithoutHint[] {
  const at = { file: path, start: 0, end: 0 }
  if (parsed.type === 'canonical') return []
  const text =
    parsed.type === 'unparseable'
      ? `The folder ${path} has no id in its name.`
      : `The id in the name of the folder ${path} is not written as JP writes it.`
  return [{ damage: 'folder-name', severity: 'survived', at, text }]
}

function describeLayout({ layout, folder }: CopyState): FindingWithoutHint[] {
  if (!isOutdated(layout)) return []
  const at = { file: folder.path, start: 0, end: 0 }
  const text = `The conversation in ${folder.path} is in a format that newer versions of JP no longer read.`
  return [{ damage: 'outdated-layout', severity: 'survived', at, text }]
}

function describe(state: FileState, copy: CopyState, { isAllRead }: FindingOptions): FindingWithoutHint[] {
  const { file, path, condition } = state
  // An outdated layout has a finding of its own.
  if (file === EVENTS && condition.type === 'missing' && copy.layout === 'messages') return []
  if (condition.type === 'wrong-shape') return describeShape(state, condition)
  const at = { file: path, ...spanOf(condition, state.mark?.size) }
  const severity: Severity = file === EVENTS && !isAllRead ? 'lost' : 'survived'
  return [{ damage: damageOf(state), severity, at, text: conditionSentence(path, condition) }]
}

function describeShape(
  { file, path }: FileState,
  { faults, more }: Extract<Condition, { type: 'wrong-shape' }>,
): FindingWithoutHint[] {
  const damage = file === EVENTS ? 'malformed-record' : 'unreadable-file'
  return faults.map((fault, index) => {
    const { start, end } = fault.element ?? { start: 0, end: 0 }
    const rest = more > 0 && index === faults.length - 1 ? ` There are ${more} more like this.` : ''
    const what = fault.path === '' ? fault.text : `${fault.path} ${fault.text}`
    return { damage, severity: 'survived', at: { file: path, start, end }, text: `${path}: ${what}.${rest}` }
  })
}

function damageOf({ file, condition }: FileState): string {
  if (condition.type === 'missing')
    return file === METADATA ? 'lost-header' : file === BASE_CONFIG ? 'lost-config' : 'missing-file'
  if (file !== EVENTS) return 'unreadable-file'
  switch (condition.type) {
    case 'truncated':
      return 'cut-document'
    case 'invalid-json':
      return damageOfFault(condition.fault)
    case 'lone-surrogate':
    case 'invalid-utf8':
    case 'too-deep':
      return condition.type
    default:
      return 'malformed-document'
  }
}

function damageOfFault({ what }: JsonProblem): string {
  if (what === 'trailing comma') return 'trailing-comma'
  return what === 'trailing characters' ? 'document-rest' : 'malformed-document'
}

function spanOf(condition: Condition, size: number | undefined): { start: number; end: number } {
  if (!('fault' in condition)) return { start: 0, end: 0 }
  const { offset } = condition.fault
  return { start: offset, end: Math.max(offset, size ?? offset) }
}

function conditionSentence(path: string, condition: Condition): string {
  switch (condition.type) {
    case 'missing':
      return `${path} is missing.`
    case 'blocked':
      return condition.text
    case 'is-a-directory':
      return `${path} is a directory where a file was expected.`
    case 'not-a-regular-file':
      return `${path} is a ${condition.kind} where a file was expected. It was not opened.`
    case 'link-dangling':
      return `${path} is a link to ${condition.target}, where nothing is.`
    case 'link-outside':
      return `${path} is a link that leads out of the storage, to ${condition.real}. JP cannot load what is there.`
    case 'link-to-bad':
      return `${path} is a link. ${conditionSentence(condition.target, condition.found)}`
    case 'too-large':
      return `${path} is larger than ${condition.limit} bytes.`
    case 'healthy':
    case 'wrong-shape':
      return `${path} is not valid.`
    default:
      return `${path}: ${faultText(condition.fault)}.`
  }
}
