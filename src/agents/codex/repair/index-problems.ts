// Problems of the databases beside a rollout, and the changes in them that an edit of the rollout requires.
import { join, sep } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import type { Change } from '../../../model/plan.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { IndexProblem, LogView } from '../../repair.ts'
import { codexHomeOf, DATABASES, INDEX, inspectIndexDatabase, PROJECTION, projectionOf } from './databases.ts'
import { isPaginated, uuidOf } from './loader.ts'

const DAMAGE = 'lost-index'
/** The log and its index belong to a database and are useless without it. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']

export async function checkIndex(session: SessionRef, log: LogView): Promise<IndexProblem[]> {
  const home = codexHomeOf(session)
  if (home === undefined) return []
  const problems: IndexProblem[] = []
  if (isPaginated(log, log.index))
    for (const { name } of DATABASES) {
      const { damage } = await inspectIndexDatabase(home, name)
      if (damage !== undefined) problems.push(unusable(join(home, name), name, damage))
    }
  const moved = await movedAway(session, home)
  return moved === undefined ? problems : [...problems, moved]
}

/** The index file with one page overwritten. */
export function breakIndex(session: SessionRef, log: Buffer): { file: string; bytes: Buffer } | undefined {
  const home = codexHomeOf(session)
  const isPaginated = log.subarray(0, Math.max(0, log.indexOf(0x0a))).includes('"history_mode":"paginated"')
  return home === undefined || !isPaginated ? undefined : { file: join(home, INDEX), bytes: Buffer.alloc(4096, 'x') }
}

export function companions(session: SessionRef): string[] {
  const home = codexHomeOf(session)
  if (home === undefined) return []
  return DATABASES.flatMap(({ name }) => ['', '-wal'].map(suffix => join(home, name + suffix)))
}

/** The file is set aside, as Codex itself does interactively. Codex recreates it at its next start. */
export function unusable(file: string, name: string, damage: string): IndexProblem {
  const reason = `Move ${name} to the vault; Codex recreates it at its next start`
  return {
    file,
    text: `${file} cannot be used (${damage}), and without it Codex loads no session.`,
    changes: SUFFIXES.map(suffix => file + suffix)
      .filter(path => exists(path))
      .map(path => ({ type: 'remove', file: path, isDatabase: true, reason })),
    isFatal: true,
  }
}

/**
 * Codex uses only the path in its index. A path outside this home proves nothing: in a copy of a home, every
 * path is one of the original.
 */
export async function movedAway(session: SessionRef, home: string): Promise<IndexProblem | undefined> {
  const thread = uuidOf(session.filePath)
  if (thread === undefined || !session.filePath.startsWith(join(home, 'sessions') + sep)) return undefined
  const { paths } = await inspectIndexDatabase(home, INDEX)
  const recordedPath = paths.get(thread)
  if (
    recordedPath === undefined ||
    !recordedPath.startsWith(home + sep) ||
    exists(recordedPath) ||
    exists(`${recordedPath}.zst`)
  )
    return undefined
  const file = join(home, INDEX)
  return {
    file,
    text: `The index of Codex says that this session is in ${recordedPath}, which does not exist, and Codex searches nowhere else.`,
    changes: [
      {
        type: 'row',
        file,
        table: 'threads',
        key: { id: thread },
        change: { type: 'update', set: { rollout_path: session.filePath } },
        expect: { rollout_path: recordedPath },
        reason: 'Point the index to the existing file',
      },
    ],
    isFatal: true,
  }
}

/**
 * Codex remembers up to which byte it has projected a rollout. Without that cursor it projects the rollout
 * again from its start.
 */
export async function afterEdit(session: SessionRef, firstEdit: number): Promise<Change[]> {
  const home = codexHomeOf(session)
  const thread = uuidOf(session.filePath)
  if (home === undefined || thread === undefined) return []
  const projected = await projectionOf(home, thread)
  if (projected === undefined || projected.offset <= firstEdit) return []
  const remove = (table: string, key: Record<string, string>): Change => ({
    type: 'row',
    file: join(home, PROJECTION),
    table,
    key,
    change: { type: 'delete' },
    damage: DAMAGE,
    reason: 'Remove it, as its byte offsets change; Codex recreates it from the rollout',
  })
  return [
    remove('thread_history_projection_state', { thread_id: thread }),
    ...projected.turns.map(turn => remove('thread_turns', { thread_id: thread, turn_id: turn })),
  ]
}
