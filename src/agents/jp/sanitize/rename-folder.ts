// Folders get names that JP finds them by: where the id is written in another way, at once; where there is none, as a person decides.
import { basename } from 'node:path'
import type { NameDecision, NameProblem, ReportEntry } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import { type Conversation, listPlace } from '../conversations.ts'
import { displayId, parseFolderName } from '../ids.ts'
import { ACTIVE } from '../names.ts'
import type { FolderMove } from './apply-plan.ts'
import type { Diagnosis } from './diagnosis.ts'
import type { Job } from './job.ts'
import { nameProblem, pathUnder, proposeName } from './new-name.ts'
import { namedOf } from './plan-files.ts'
import { entryFor } from './report.ts'

const WHY = { damage: 'folder-name', reason: 'JP looks for it under this name' }

/** Of what a person decided, only what can be done: a name that cannot be taken is not. */
export async function decideName(job: Job, diagnosis: Extract<Diagnosis, { type: 'name' }>): Promise<NameDecision> {
  const [copy] = diagnosis.copies
  if (copy === undefined) return { type: 'leave' }
  const { workspace } = job
  const { name, root, path } = copy.folder
  const problem: NameProblem = {
    about: 'name',
    conversation: name,
    root: root.path,
    file: name,
    path,
    text: diagnosis.error,
    proposal: proposeName(diagnosis.copies, workspace),
    validate: wanted => nameProblem(wanted, diagnosis.copies, workspace),
  }
  const decision = await job.options.decide.name(problem)
  if (job.options.signal?.aborted) return { type: 'leave' }
  const unfit = decision.type === 'rename' ? problem.validate(decision.name) : undefined
  if (unfit === undefined && decision.type !== 'leave') return decision
  const text = unfit === undefined ? 'Kept as is, as you chose.' : `The new name cannot be used: ${unfit}`
  const warning = copy.folder.place === ACTIVE ? ' The next command of JP moves it to its trash.' : ''
  for (const { folder } of diagnosis.copies)
    job.report.left.push(entryFor('left', folder, `${diagnosis.error}. ${text}${warning}`, { error: diagnosis.error }))
  return { type: 'leave' }
}

export interface Renames {
  /** The conversation as it is known afterwards; its folders are still where they are. */
  known: Conversation
  moves: FolderMove[]
  /** For those whose name is taken. */
  lockedOut: ReportEntry[]
}

/** What has no id is known by that of its new name before it has it. */
export function withName({ place, folders }: Conversation, name: string): Renames {
  const parsed = parseFolderName(name)
  const known = folders.map(folder => ({ ...folder, name, parsed }))
  const moves = folders.map((folder): FolderMove => {
    const to = pathUnder(folder, name)
    return { folder, to, ...WHY, text: renamedText(to) }
  })
  const sessionId = parsed.type === 'unparseable' ? name : displayId(parsed.id)
  return { known: { sessionId, place, folders: known }, moves, lockedOut: [] }
}

/** JP lists a folder whose id is written in another way, and never finds it. */
export function renamesOf(conversation: Conversation, copies: readonly CopyState[]): Renames {
  const renames: Renames = { known: conversation, moves: [], lockedOut: [] }
  for (const copy of copies) {
    const { folder } = copy
    const named = namedOf(copy)
    if (folder.parsed.type !== 'noncanonical' || named === undefined) continue
    const rival = listPlace(folder.root, folder.place, []).find(
      ({ parsed, path }) => parsed.type !== 'unparseable' && parsed.id === named.id && path !== folder.path,
    )
    if (rival === undefined) {
      const to = pathUnder(folder, named.slug === undefined ? named.id : `${named.id}-${named.slug}`)
      renames.moves.push({ folder, to, ...WHY, text: renamedText(to) })
      renames.known = { ...conversation, sessionId: displayId(named.id) }
    } else {
      const error = `another folder has its id: ${rival.name}`
      renames.lockedOut.push(entryFor('lockedOut', folder, error, { error }))
    }
  }
  return renames
}

function renamedText(to: string): string {
  return `renamed its folder to ${basename(to)}`
}
