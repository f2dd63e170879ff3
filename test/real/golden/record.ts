// node test/real/golden/record.ts [name…]: one short conversation with each real agent, and its journal as a fixture of the projection's tests.
// RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents. What the journals are projected to is then written by
// RETHREAD_TEST_GOLDEN=write npx vitest run src/opencode/projection/golden.test.ts
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEvent, JournalSession } from '../../../src/journal/store/store.ts'
import { ACP_AGENTS } from '../restores/acp-agents.ts'
import type { OpenConversations } from '../restores/conversation-stage.ts'
import { converse, play } from '../restores/stage.ts'
import { makeScrub, type Scrub } from './scrub.ts'

const GOLDEN = join(import.meta.dirname, '..', '..', '..', 'src', 'opencode', 'projection', 'golden')
/** More than any of these conversations has. */
const MAX_EVENTS = 1000
/** What comes by itself behind the last answer is no part of the conversation, and not always there. */
const LAST = 'response:session/prompt'

const installed = process.env['RETHREAD_TEST_REAL_AGENTS']
if (installed === undefined)
  throw new Error('RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents: see test/real/README.md')
const wanted = process.argv.slice(2)

for (const agent of ACP_AGENTS) {
  if (wanted.length > 0 && !wanted.includes(agent.name)) continue
  const { faults } = await play(agent, installed, 'golden', async stage => {
    const id = await converse(stage)
    const scrub = makeScrub({ home: stage.place.home, installed, port: stage.place.port })
    await keep(stage.opened, id, `${agent.installed}-${agent.version}`, scrub)
  })
  if (faults.length > 0) throw new Error(`${agent.title}: ${faults.join(' ')}`)
}

async function keep({ store }: OpenConversations, id: string, name: string, scrub: Scrub): Promise<void> {
  const session = await store.getSession(id)
  if (session === undefined) throw new Error(`There is no session ${id}.`)
  const { events, skipped, total } = await store.page(id, { limit: MAX_EVENTS })
  if (skipped.length > 0 || events.length < total) throw new Error(`Of ${total} events ${events.length} were read.`)
  const kept = events.slice(0, events.findLastIndex(({ kind }) => kind === LAST) + 1)
  const folder = join(GOLDEN, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'session.json'), `${JSON.stringify(scrub(rowOf(session)), undefined, 2)}\n`)
  writeFileSync(join(folder, 'events.jsonl'), kept.map(event => `${JSON.stringify(scrub(lineOf(event)))}\n`).join(''))
  process.stdout.write(`${name}: ${kept.length} events\n`)
}

function rowOf({ id, agent, agentSessionId, lastConnectionId, cwd, createdAt }: JournalSession): object {
  return { id, agent, agentSessionId, lastConnectionId, cwd, createdAt }
}

function lineOf({ seq, createdAt, connectionId, sender, kind, envelope }: JournalEvent): object {
  return { seq, createdAt, connectionId, sender, kind, payload: envelope }
}
