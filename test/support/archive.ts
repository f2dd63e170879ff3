// Passes of the archive over a home, and what is in it afterwards.
import type { Agent } from '../../src/agents/agent.ts'
import { storeOf } from '../../src/agents/store.ts'
import { openArchive } from '../../src/archive/archive.ts'
import { makeContentReader } from '../../src/archive/content.ts'
import { archiveChainId } from '../../src/archive/items.ts'
import { type PassResult, runPass } from '../../src/archive/pass.ts'
import { openView } from '../../src/archive/view.ts'
import type { Context } from '../../src/catalog/context.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'

export async function pass(context: Context, now: () => number = Date.now): Promise<PassResult> {
  const archive = openArchive(context.state)
  try {
    const { sessions, failures } = await findSessions(context)
    const { environment, state } = context
    return await archive.write(() =>
      runPass({ archive, environment, state, now }, { sessions, failures, agents: context.agents }),
    )
  } finally {
    archive.close()
  }
}

export async function opened(context: Context, session: SessionRef) {
  const archive = openArchive(context.state)
  const chain = await archive.load(archiveChainId(session, context.environment.home))
  if (chain === undefined) throw new Error('Nothing is archived.')
  const agent = context.agents.find(({ id }) => id === session.agent) as Agent
  return { archive, chain, agent, reader: makeContentReader(archive.store, chain) }
}

/** The content of the session's own file at a point, the last where none is given. */
export async function contentAt(context: Context, session: SessionRef, number?: number): Promise<Buffer> {
  const { chain, reader } = await opened(context, session)
  const pieces: Buffer[] = []
  for await (const piece of reader.read(chain.session.filePath, number ?? chain.points.at(-1)?.number ?? 0))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

export async function pointsOf(context: Context, session: SessionRef) {
  return (await opened(context, session)).chain.points.map(({ why, messages }) => ({
    why,
    ...(messages === undefined ? {} : { messages }),
  }))
}

export async function viewMessages(context: Context, session: SessionRef, number: number) {
  const { archive, chain, agent } = await opened(context, session)
  const view = await openView({ archive, state: context.state, home: context.environment.home, agent, chain, number })
  return (await collect(storeOf(agent, view.session).read(view.session))).messages
}
