// Journals for tests of how they are read: made by the store itself.

import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { type Found, locationsOf } from '../../src/agents/store.ts'
import { makeJournalAgent } from '../../src/journal/as-agent/index.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import type { Envelope, JournalStore, Metadata } from '../../src/journal/store/store.ts'
import type { Failure } from '../../src/model/errors.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { environmentOf, temporaryHome } from './home.ts'
import { sampleSession } from './journal/samples.ts'
import { readFrom } from './reading.ts'

export interface SampleJournal {
  path: string
  store: JournalStore
  agent: Agent
  /** A conversation of these envelopes. */
  add(id: string, envelopes: readonly Envelope[], metadata?: Metadata): Promise<void>
}

/** It stays open until the test is over, unless it is closed before. */
export async function makeJournal(): Promise<SampleJournal> {
  const path = join(temporaryHome(), 'journal.sqlite')
  const store = await openJournal(path)
  onTestFinished(() => store.close())
  return {
    path,
    store,
    agent: makeJournalAgent(path),
    async add(id, envelopes, metadata) {
      await store.createSession(sampleSession(id), metadata)
      if (envelopes.length > 0) await store.append(id, envelopes)
    },
  }
}

export async function discoverAll(agent: Agent): Promise<{ sessions: SessionRef[]; failures: Failure[] }> {
  const environment = environmentOf('/nobody')
  const found: Found[] = []
  for (const { store, location } of locationsOf(agent, environment))
    for await (const item of store.discover(location, { environment, busyMs: 200 })) found.push(item)
  return {
    sessions: found.flatMap(item => (item.type === 'session' ? [item.session] : [])),
    failures: found.flatMap(item => (item.type === 'failure' ? [item.failure] : [])),
  }
}

export async function readOne(agent: Agent, id: string) {
  const session = (await discoverAll(agent)).sessions.find(({ sessionId }) => sessionId === id)
  if (session === undefined) throw new Error(`${id} was not found.`)
  return { session, ...(await collect(readFrom(agent, session))) }
}
