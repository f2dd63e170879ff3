// Prints what was done to a store, in the lines that its sanitizer gives, and what the user can do next.

import { basename } from 'node:path'
import type { ReportEntry, SanitizeReport } from '../../agents/sanitizer.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste, quoteWord } from '../../model/paste.ts'
import { cleanLine } from '../print/clean.ts'
import type { Output, Style } from '../print/output.ts'
import { plural } from '../print/words.ts'

type Part = Exclude<keyof SanitizeReport, 'isInterrupted' | 'conversations'>

/** A part without `word` is not counted as something to repair. */
const PARTS: readonly { part: Part; style: Style; word?: string }[] = [
  { part: 'repaired', style: 'good', word: 'repaired' },
  { part: 'degraded', style: 'warn', word: 'degraded' },
  { part: 'trashed', style: 'bad', word: 'trashed' },
  { part: 'skipped', style: 'warn', word: 'in use' },
  { part: 'lockedOut', style: 'bad', word: 'not loadable' },
  { part: 'blocked', style: 'bad', word: 'blocked' },
  { part: 'left', style: 'warn', word: 'left damaged' },
  { part: 'noticed', style: 'dim' },
]

/** Prints to stderr. Scripts read stdout. */
export function printReport(output: Output, report: SanitizeReport, about: About): void {
  for (const { part, style } of PARTS)
    for (const line of linesOf(report[part])) output.remark(output.style(style, cleanLine(line)))
  output.remark(totals(report))
  for (const line of [...remarks(report), ...nextSteps(report, about)]) output.remark(line)
}

export interface About {
  isCheck: boolean
  /** As the user named it; undefined for the current folder. */
  folder: string | undefined
}

/** Copies of one conversation in different storages share a line if it is the same. */
function linesOf(entries: readonly ReportEntry[]): string[] {
  const groups = Map.groupBy(entries, ({ conversation, line }) => `${conversation}\0${line}`)
  return entries.flatMap(entry => {
    const group = groups.get(`${entry.conversation}\0${entry.line}`) ?? []
    const isOfCopies = entry.conversation !== '' && new Set(group.map(({ root }) => root)).size === group.length
    if (group.length < 2 || !isOfCopies) return [entry.line]
    const copies = group.length === 2 ? 'both copies' : `all ${group.length} copies`
    return entry === group[0] ? [`${entry.line} (${copies})`] : []
  })
}

/** More remarks of the same kind are only counted. */
const MAX_REMARKS = 3

function remarks(report: SanitizeReport): string[] {
  const all = unique(report, ({ remark }) => remark).map(cleanLine)
  const more = all.length - MAX_REMARKS
  const rest = more > 0 ? [`… and ${formatNumber(more)} more like these.`] : []
  return [...all.slice(0, MAX_REMARKS), ...rest]
}

function totals(report: SanitizeReport): string {
  const renamed = renamedIn(report)
  const counts = PARTS.flatMap(({ part, word }) => {
    const count = new Set(report[part].map(keyOf).map(key => renamed.get(key) ?? key)).size
    return count === 0 || word === undefined ? [] : [`${formatNumber(count)} ${word}`]
  })
  const examined = `${plural(report.conversations, 'conversation')} examined`
  if (report.isInterrupted && counts.length === 0) return 'Interrupted: nothing was changed.'
  const stopped = report.isInterrupted ? ' Interrupted: what was finished is kept.' : ''
  return `${examined}: ${counts.length === 0 ? 'nothing to repair' : counts.join(', ')}.${stopped}`
}

/** Maps new names to old ones: under both names it is one conversation. */
function renamedIn({ repaired }: SanitizeReport): Map<string, string> {
  const moved = repaired.filter(({ target }) => target !== undefined)
  return new Map(moved.map(entry => [keyOf({ ...entry, conversation: basename(entry.target ?? '') }), keyOf(entry)]))
}

/** Copies in other storages have the same name and count once. */
function keyOf({ conversation, root }: ReportEntry): string {
  return conversation === '' ? root : conversation
}

function nextSteps(report: SanitizeReport, { isCheck, folder }: About): string[] {
  const steps: string[] = []
  const receipts = unique(report, ({ receipt }) => receipt)
  if (receipts.length === 1) steps.push(`Undo it: ${paste('rethread undo', receipts[0] ?? '')}`)
  if (receipts.length > 1) steps.push('Each of these can be undone: rethread repairs')
  const inFolder = folder === undefined ? '' : ` --dir ${quote(folder)}`
  const trashed = [...new Set(report.trashed.map(nameInTrash))]
  const [only = ''] = trashed
  // A name that starts with a dash would be read as an option.
  const which = only.startsWith('-') ? `${inFolder} -- ${quoteWord(only)}` : ` ${quoteWord(only)}${inFolder}`
  if (trashed.length === 1) steps.push(cleanLine(`Bring it back: rethread trash restore${which}`))
  if (trashed.length > 1) steps.push(`See what is in the trash: rethread trash list${inFolder}`)
  if (isCheck && report.left.length + report.lockedOut.length > 0)
    steps.push(`Nothing was changed. Repair them: rethread sanitize${folder === undefined ? '' : ` ${quote(folder)}`}`)
  return steps
}

/** The name in the trash can differ: the original name may have been taken. */
function nameInTrash({ conversation, target }: ReportEntry): string {
  return target === undefined ? conversation : basename(target)
}

function unique(report: SanitizeReport, of: (entry: ReportEntry) => string | undefined): string[] {
  return [...new Set(PARTS.flatMap(({ part }) => report[part].flatMap(entry => of(entry) ?? [])))]
}

export function addReports(reports: readonly SanitizeReport[]): SanitizeReport {
  const all = (part: Part): ReportEntry[] => reports.flatMap(report => report[part])
  return {
    repaired: all('repaired'),
    trashed: all('trashed'),
    degraded: all('degraded'),
    blocked: all('blocked'),
    skipped: all('skipped'),
    lockedOut: all('lockedOut'),
    left: all('left'),
    noticed: all('noticed'),
    isInterrupted: reports.some(({ isInterrupted }) => isInterrupted),
    conversations: reports.reduce((sum, { conversations }) => sum + conversations, 0),
  }
}
