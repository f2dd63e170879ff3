// node restore-load.ts OPTIONS: conversations with the mock agent, brought back after it was killed; prints milliseconds. With `flood` the agent
// sends so many updates in one turn, with `events` the conversation that comes back is that long: so that others can measure the memory of this process.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeClientSide } from '../../src/journal/client/index.ts'
import { Conversations } from '../../src/journal/conversations.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { mockAgentCommand } from '../../src/mock-agent/command.ts'
import { sampleEnvelope } from '../../test/support/journal/samples.ts'
import { median } from './processes.ts'

export interface RestoreLoad {
  folder: string
  rounds: number
  /** What the agent cannot do, so that the next strategy is tried. */
  without: string[]
  flood?: number
  events?: number
}

export interface RestoreFigures {
  /** Starting the agent and beginning a session. */
  beginMs: number
  /** Starting it again and bringing the session back. */
  restoreMs: number
  strategy: string
  /** Of the flood. */
  updatesPerSecond: number
}

const TURNS = 20

const options: RestoreLoad = JSON.parse(process.argv[2] ?? '{}')
process.stdout.write(JSON.stringify(await measure(options)))

async function measure({ folder, rounds, without, flood, events }: RestoreLoad): Promise<RestoreFigures> {
  mkdirSync(folder, { recursive: true })
  const store = await openJournal(join(folder, 'journal.sqlite'))
  const faults = flood === undefined ? [] : ['--fault', `flood=${flood}`]
  const conversations = talk(store, folder, [...without.flatMap(name => ['--without', name]), ...faults])
  const begun = performance.now()
  const { session } = await conversations.create({ agent: 'mock', cwd: folder })
  const beginMs = performance.now() - begun
  const figures = { beginMs, restoreMs: 0, strategy: '', updatesPerSecond: 0 }
  if (flood !== undefined) figures.updatesPerSecond = await takeFlood(conversations, session.id, flood)
  else {
    for (let turn = 0; turn < TURNS; turn++) await conversations.prompt(session.id, say(`turn ${turn}`))
    if (events !== undefined) await lengthen(store, session.id, events)
    Object.assign(figures, await restoreOften(conversations, session.id, events === undefined ? rounds : 1))
  }
  await conversations.stop()
  await store.close()
  return figures
}

function talk(store: JournalStore, folder: string, flags: string[]): Conversations {
  const { command, args } = mockAgentCommand()
  const clientSide = makeClientSide({ foldersOf: async () => [folder] })
  return new Conversations({
    store,
    clientSide,
    agent: name => ({
      name,
      title: name,
      command,
      args: [...args, '--store', join(folder, 'agent'), ...flags],
      env: {},
    }),
    initialize: () => ({ protocolVersion: 1, clientCapabilities: clientSide.capabilities }),
    agentFiles: {
      check: async () => 'unknown',
      snapshot: async () => undefined,
      repair: async () => ({ status: 'unknown', text: '' }),
    },
    onBackgroundError: error => {
      throw error
    },
  })
}

async function takeFlood(conversations: Conversations, id: string, flood: number): Promise<number> {
  let notified = 0
  conversations.on(({ kind }) => {
    if (kind.startsWith('session/update')) notified++
    return undefined
  })
  const start = performance.now()
  await conversations.prompt(id, say('go'))
  const seconds = (performance.now() - start) / 1000
  if (notified < flood) throw new Error(`Of ${flood} updates ${notified} were notified.`)
  return notified / seconds
}

/** As a long answer would have made it. */
async function lengthen(store: JournalStore, id: string, events: number): Promise<void> {
  const batch = Array.from({ length: 1000 }, (_, n) => sampleEnvelope(n))
  for (let n = 0; n < events; n += batch.length) await store.append(id, batch)
}

/** To the end of the first turn after it: only then it is back. */
async function restoreOften(conversations: Conversations, id: string, rounds: number) {
  const times: number[] = []
  let strategy = ''
  for (let round = 0; round < rounds; round++) {
    const { connection } = await conversations.ensure(id)
    await connection.close()
    const start = performance.now()
    const live = await conversations.ensure(id)
    times.push(performance.now() - start)
    strategy = live.strategy ?? ''
    await conversations.prompt(id, say(`again ${round}`))
  }
  return { restoreMs: median(times), strategy }
}

function say(text: string): object {
  return { prompt: [{ type: 'text', text }] }
}
