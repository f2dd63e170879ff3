// Puts the copies of a session back where the originals were lost. It uses the vault, so that the change is
// listed as a repair and can be undone.
import type { Agent } from '../../agents/agent.ts'
import { findStore } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { statIfThere } from '../../disk/files/handles.ts'
import { identityOf } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { busyError, findWriter } from '../../disk/processes/writers.ts'
import { type OriginalState, originalState, type SnapshotFile } from '../../disk/state/snapshot-copy.ts'
import { applyChanges } from '../../disk/vault/apply.ts'
import type { CopyIn } from '../../disk/vault/steps/step.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import { takeAgentLock } from '../../repair/agent-lock.ts'
import { finishInterrupted } from '../../repair/repair.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import { type CopiedSession, compareOne, isDatabase } from './compare.ts'

const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Throws `busy` where a process writes, and `unsupported` where only a person can decide. */
export async function putBackLost(context: Context, guarded: readonly CopiedSession[]): Promise<void> {
  await finishInterrupted(context)
  const changes: CopyIn[] = []
  for (const one of guarded) if ((await compareOne(context, one)) === 'lost') changes.push(...(await changesFor(one)))
  const [first] = guarded
  if (first === undefined || changes.length === 0) return
  const { agent, session } = first
  const paths = changes.map(({ file }) => file)
  await assertNoWriter(context, agent, session, paths)
  forgetVerdicts(context, guarded)
  const planned = paths.flatMap(file => {
    const stats = statIfThere(file, 'stat')
    return stats === undefined ? [] : [{ file, identity: identityOf(stats) }]
  })
  const { sessionId, filePath } = session
  const held = takeAgentLock(context, session)
  try {
    await applyChanges({ state: context.state, agent: agent.id, sessionId, filePath, changes, planned })
  } finally {
    held?.release()
  }
}

async function changesFor(guarded: CopiedSession): Promise<CopyIn[]> {
  const { agent, session, files, time } = guarded
  if (isDatabase(agent, session) && isAnyThere(session.filePath)) throw leftToPerson(guarded)
  const rewinds = findStore(agent, session)?.traits.rewinds === true
  const changes: CopyIn[] = []
  for (const copiedFile of files) {
    const state = await originalState(copiedFile)
    // A log that can withdraw records may have grown and lost content at once.
    const isLost = state === 'gone' || state === 'changed' || (state === 'grown' && rewinds)
    if (isLost) changes.push(changeOf(copiedFile, state, time))
  }
  return changes
}

function changeOf({ path, copy, size, sha256, owner }: SnapshotFile, state: OriginalState, time: string): CopyIn {
  const what = state === 'gone' ? 'The file was gone' : 'The content of the file was gone'
  const reason = `${what} after its agent was asked to load it. It was restored as of ${time}.`
  return { type: 'copy-in', file: path, from: copy, size, sha256, owner, damage: 'lost-content', reason }
}

/** The recent change caused the loss, so it is not a sign of a writer. All other signs count. */
async function assertNoWriter(context: Context, agent: Agent, session: SessionRef, paths: string[]): Promise<void> {
  const repair = await findStore(agent, session)?.repair?.()
  const sign = repair?.liveSign?.(session, context.environment) ?? (await findWriter(paths, { force: true }))
  if (sign !== undefined) throw busyError(session.filePath, sign)
}

function forgetVerdicts(context: Context, guarded: readonly CopiedSession[]): void {
  const verdicts = openVerdicts(context.state)
  try {
    for (const { session } of guarded) verdicts.invalidate(session)
  } finally {
    verdicts.close()
  }
}

function isAnyThere(database: string): boolean {
  return DATABASE_SUFFIXES.some(suffix => statIfThere(database + suffix) !== undefined)
}

/** The database also holds other sessions. The copy would reset them too. */
function leftToPerson({ session, files, time }: CopiedSession): RethreadError {
  const { filePath } = session
  const aside = DATABASE_SUFFIXES.map(suffix => filePath + suffix)
    .filter(path => statIfThere(path) !== undefined)
    .map(path => `mv ${quote(path)} ${quote(`${path}.before`)}`)
  const back = files.map(({ path, copy }) => `cp ${quote(copy)} ${quote(path)}`)
  const copies = files.map(({ copy }) => copy).join(', ')
  return new RethreadError({
    code: 'unsupported',
    text: `Messages of session ${session.sessionId} are gone from ${filePath}. The file also holds other sessions that may have changed since, so its copy of ${time} was not restored. The copy: ${copies}`,
    hint: `To restore the copy with all sessions, close the agent, then: ${[...aside, ...back].join(' && ')}`,
    path: filePath,
  })
}
