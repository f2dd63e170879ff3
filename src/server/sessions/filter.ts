// Which sessions a query lets through.
import { RethreadError } from '../../model/errors.ts'
import { cleanTag } from '../../model/label.ts'
import type { SessionRow, SessionsQuery } from '../api.ts'
import { statusSchema } from '../api.ts'
import type { Entry } from './entries.ts'
import { foldForSort } from './sort-text.ts'

export type Filter = (entry: Entry) => boolean

export function makeFilter(query: SessionsQuery, titles: ReadonlyMap<string, string>): Filter {
  const filters: Filter[] = []
  if (query.subagents !== 'yes') filters.push(({ isSubagent }) => !isSubagent)
  filters.push(({ row }) => (row.hidden === true) === (query.hidden === 'yes'))
  if (query.pinned === 'yes') filters.push(({ row }) => row.pinned === true)
  if (query.tag !== undefined) filters.push(byTag(query.tag))
  if (query.agent !== undefined) filters.push(byAgent(query.agent, titles))
  if (query.status !== undefined) filters.push(byStatus(query.status))
  if (query.archived !== undefined) filters.push(byArchived(query.archived === 'yes'))
  if (query.project !== undefined) filters.push(byProject(query.project))
  if (query.since !== undefined) filters.push(since(Date.parse(query.since)))
  if (query.until !== undefined) filters.push(until(Date.parse(query.until)))
  if (query.text !== undefined) filters.push(byText(query.text, titles))
  return entry => {
    for (const filter of filters) if (!filter(entry)) return false
    return true
  }
}

/** What only the archive has is restored before it is repaired. */
export function needsRepair({ status, archived }: SessionRow): boolean {
  return status === 'corrupted' && archived === undefined
}

function byArchived(isWanted: boolean): Filter {
  return ({ row }) => (row.archived !== undefined) === isWanted
}

function byTag(text: string): Filter {
  const tag = cleanTag(text)
  return ({ row }) => row.tags?.includes(tag) === true
}

function byAgent(list: string, titles: ReadonlyMap<string, string>): Filter {
  const wanted = new Set(namesIn(list))
  const unknown = [...wanted].find(agent => !titles.has(agent))
  if (unknown !== undefined) throw usage(`Unknown agent "${unknown}".`, [...titles.keys()])
  return ({ row }) => wanted.has(row.agent)
}

const UNCHECKED = 'unchecked'
const NEED_REPAIR = 'need-repair'

function byStatus(list: string): Filter {
  const known: string[] = [...statusSchema.options, UNCHECKED, NEED_REPAIR]
  const wanted = new Set(namesIn(list))
  const unknown = [...wanted].find(status => !known.includes(status))
  if (unknown !== undefined) throw usage(`Unknown status "${unknown}".`, known)
  return ({ row }) => wanted.has(row.status ?? UNCHECKED) || (wanted.has(NEED_REPAIR) && needsRepair(row))
}

/** The folder itself or one below it. Paths come from other machines too, so both kinds of slash count. */
function byProject(folder: string): Filter {
  const wanted = folder.replace(/(?<=.)[/\\]+$/, '')
  const isRoot = /^[/\\]$/.test(wanted)
  return ({ row: { project } }) => {
    if (project === null || !project.startsWith(wanted)) return false
    return isRoot || project.length === wanted.length || /[/\\]/.test(project.charAt(wanted.length))
  }
}

function since(time: number): Filter {
  return entry => entry.time >= time
}

function until(time: number): Filter {
  return entry => entry.time <= time
}

/** Every word, in any order and any of the texts. */
function byText(text: string, titles: ReadonlyMap<string, string>): Filter {
  const words = foldForSort(text)
    .split(/\s+/)
    .filter(word => word !== '')
  return entry => {
    entry.derived.search ??= searchText(entry, titles)
    const { search } = entry.derived
    return words.every(word => search.includes(word))
  }
}

function searchText({ row }: Entry, titles: ReadonlyMap<string, string>): string {
  const own = [row.originalTitle ?? '', ...(row.tags ?? []).map(tag => `#${tag}`)]
  return foldForSort(
    [row.title ?? '', ...own, row.project ?? '', row.sessionId, titles.get(row.agent) ?? row.agent].join(' '),
  )
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

function usage(text: string, known: readonly string[]): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: `Use one of: ${known.join(', ')}` })
}
