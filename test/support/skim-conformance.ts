// What every store that is skimmed keeps: the summary is that of the reader, whatever is in the log.
import { expect, onTestFinished, test, vi } from 'vitest'
import { findStore, type Store } from '../../src/agents/store.ts'
import { KERNEL_CHUNK_BYTES } from '../../src/bytes/scanner/kernel.ts'
import type { Context } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { summarize } from '../../src/catalog/summaries.ts'
import { openFile } from '../../src/disk/files/read.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Kind } from './damaged.ts'
import { damagesOf, inflict, makeHome, openHome, repairableKinds } from './damaged.ts'
import { inFull } from './full.ts'
import { put, temporaryHome } from './home.ts'
import { RECORDINGS, recordedHome } from './recorded.ts'

const SEEDS = inFull([1, 2, 3, 4, 5, 6, 7, 8], [1, 2])

/** Whether the session can be skimmed. Fails if its summary is not that of the reader. */
export type CompareLog = (log: string) => Promise<boolean>

/** `isAlsoTrue` is asked about every session that is skimmed. */
export async function skimConformance(
  agent: string,
  storeName: string,
  isAlsoTrue: (session: SessionRef) => boolean = () => true,
): Promise<CompareLog> {
  const kind = await kindOf(agent, storeName)

  const compare = async (context: Context, session: SessionRef): Promise<boolean> => {
    const skimmed = await summarize(context, session)
    vi.stubEnv('RETHREAD_SCANNER', 'js')
    const read = await summarize(context, session)
    vi.unstubAllEnvs()
    expect(JSON.stringify(sorted(skimmed))).toBe(JSON.stringify(sorted(read)))
    const skims = await isSkimmed(context, session)
    if (skims) expect(isAlsoTrue(session)).toBe(true)
    return skims
  }

  test.each(damagesOf(kind))('$id: the summary is that of the reader', async damage => {
    for (const seed of SEEDS) {
      const { context, session } = await makeHome(temporaryHome(), kind, seed, 30_000)
      expect(await compare(context, session)).toBe(true)
      inflict(session, kind, damage, seed)
      await compare(context, session)
    }
  })

  test.each(RECORDINGS.filter(name => name.startsWith(agent)))('%s: the summary is that of the reader', async name => {
    const { context } = await openHome(recordedHome(name))
    const { sessions } = await findSessions(context)
    const skimmed = await Promise.all(sessions.map(session => compare(context, session)))
    expect(skimmed.length).toBeGreaterThan(0)
  })

  test('a log of more than one chunk is skimmed to its end', async () => {
    const { context, session } = await makeHome(temporaryHome(), kind, 1, 2_000_000)
    expect(session.fileSize).toBeGreaterThan(KERNEL_CHUNK_BYTES)
    expect(await compare(context, session)).toBe(true)
  })

  test('without the kernel of the scanner nothing is skimmed', async () => {
    const { context, session } = await makeHome(temporaryHome(), kind, 1)
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('RETHREAD_SCANNER', 'js')
    expect(await isSkimmed(context, session)).toBe(false)
  })

  return async log => {
    const { context, session } = await homeOf(kind)
    const folder = temporaryHome()
    return await compare(context, { ...session, filePath: put(folder, 'log.jsonl', log), storeRoot: folder })
  }
}

async function kindOf(agent: string, storeName: string): Promise<Kind> {
  const found = (await repairableKinds()).find(kind => kind.agent === agent && kind.store === storeName)
  if (found === undefined) throw new Error('No session of this store can be made.')
  return found
}

/** One for all logs, which are read in its place. */
function homeOf(kind: Kind): ReturnType<typeof makeHome> {
  const known = homes.get(kind) ?? makeHome(temporaryHome(), kind, 1)
  homes.set(kind, known)
  return known
}

const homes = new Map<Kind, ReturnType<typeof makeHome>>()

async function isSkimmed({ agents }: Context, session: SessionRef): Promise<boolean> {
  const store = storeIn(agents, session)
  const skim = await store.skim?.()
  const file = openFile(session.filePath, session.storeRoot)
  try {
    return skim?.(file, session, store.traits.tokens) !== undefined
  } finally {
    file.close()
  }
}

function storeIn(agents: Context['agents'], session: SessionRef): Store {
  const store = findStore(
    agents.find(({ id }) => id === session.agent),
    session,
  )
  if (store === undefined) throw new Error(`There is no store for ${session.filePath}.`)
  return store
}

function sorted(summary: object): object {
  return Object.fromEntries(Object.entries(summary).sort(([one], [other]) => (one < other ? -1 : 1)))
}
