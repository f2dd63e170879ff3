// Takes another archive, or a copy of a home or of an agent's folder, into the archive of this machine.
import { createHash } from 'node:crypto'
import { dirname, join, resolve, sep } from 'node:path'
import type { Archive } from '../archive/archive.ts'
import { captureSession } from '../archive/capture.ts'
import { copyChain } from '../archive/copy-chain.ts'
import { archiveChainId } from '../archive/items.ts'
import { openFolderStore } from '../disk/archive/folder-store.ts'
import { exists, statPath } from '../disk/files/read.ts'
import { type Failure, failureOf, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { withArchive } from './archive.ts'
import type { Context } from './context.ts'
import { findSessions } from './find-all.ts'

export interface Imported {
  kind: 'archive' | 'home'
  sessions: number
  added: number
  /** They were in the archive already, as they are in the folder. */
  known: number
  /** In the archive with another content: kept beside it. */
  beside: number
  failures: Failure[]
}

/** How far above the given folder its home may be: `~/.local/share/NAME`. */
const MAX_ABOVE = 3

/** Nothing in the folder is changed. Throws `not-a-session` where nothing is found. */
export async function importInto(context: Context, dir: string): Promise<Imported> {
  const folder = resolve(dir)
  if (!statPath(folder).isDirectory()) throw nothingThere(folder)
  const archived = [folder, join(folder, 'archive')].find(path => exists(join(path, 'segments')))
  return await withArchive(context, archive =>
    archive.write(async () =>
      archived === undefined ? await importHome(context, archive, folder) : await importArchive(archive, archived),
    ),
  )
}

async function importArchive(archive: Archive, folder: string): Promise<Imported> {
  const source = openFolderStore(folder)
  const result: Imported = { kind: 'archive', sessions: 0, added: 0, known: 0, beside: 0, failures: [] }
  for (const [id, names] of Map.groupBy(await source.list(), ({ chain }) => chain)) {
    result.sessions++
    try {
      result[await copyChain(source, names, archive.store, id, folder)]++
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code === 'no-space') throw error
      result.failures.push(failureOf('', error, folder))
    }
  }
  await archive.store.sync()
  return result
}

async function importHome(context: Context, archive: Archive, folder: string): Promise<Imported> {
  const { home, sessions, failures } = await findBelow(context, folder)
  const result: Imported = { kind: 'home', sessions: sessions.length, added: 0, known: 0, beside: 0, failures }
  const heads = await archive.heads()
  const environment = environmentOf(context, home)
  for (const session of sessions) {
    const agent = context.agents.find(({ id }) => id === session.agent)
    if (agent === undefined) continue
    const own = archiveChainId(session, home)
    const isKnown = heads.has(own)
    const chain = isKnown ? createHash('sha256').update(`${own}\n${folder}`).digest('hex').slice(0, 32) : own
    try {
      const { outcome } = await captureSession(
        { archive, environment, state: context.state, changedByRethread: () => undefined, now: Date.now, chain },
        agent,
        session,
      )
      if (outcome === 'copied') result[isKnown ? 'beside' : 'added']++
      else result.known++
      // The file is in another place than the session was.
      archive.notes.set(chain, JSON.stringify({ gate: '', items: {} }))
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code === 'no-space') throw error
      result.failures.push(failureOf(session.agent, error, session.filePath))
    }
  }
  await archive.store.sync()
  return result
}

function environmentOf(context: Context, home: string): Context['environment'] {
  return { home, platform: context.environment.platform, variables: {}, top: home, anyLayout: true }
}

/** The folder is a home, or a part of one such as `.config`: then only what is inside of it is taken. */
async function findBelow(
  context: Context,
  folder: string,
): Promise<{ home: string; sessions: SessionRef[]; failures: Failure[] }> {
  let home = folder
  for (let above = 0; above <= MAX_ABOVE; above++) {
    const agents = context.agents.filter(({ isJournal }) => isJournal !== true)
    const found = await findSessions({ ...context, environment: environmentOf(context, home) }, agents)
    const sessions = found.sessions.filter(({ filePath }) => filePath.startsWith(folder + sep))
    const failures = found.failures.filter(({ path }) => path.startsWith(folder + sep))
    if (sessions.length > 0 || failures.length > 0) return { home, sessions, failures }
    if (dirname(home) === home) break
    home = dirname(home)
  }
  throw nothingThere(folder)
}

function nothingThere(folder: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${folder} is neither an archive nor a home folder with sessions.`,
    hint: 'Name the folder that holds the folders of the agents, such as a copy of your home folder.',
    path: folder,
  })
}
