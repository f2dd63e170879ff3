// node opencode-load.ts OPTIONS: a server and the mock agent, prompted in turn through the API and by itself over the protocol's own client; prints
// milliseconds. Before it, views are built from a journal as long as asked for, again and again.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { Views } from '../../src/opencode/projection/views.ts'
import { LONG_SESSION, writeLongSession } from '../../test/support/long-journal.ts'
import { ApiClient } from './api-client.ts'
import { DirectAgent } from './direct-agent.ts'
import { type Command, median } from './processes.ts'
import { startMeasured } from './served.ts'

export interface OpenCodeLoad {
  folder: string
  rounds: number
  server: Command
  /** Of the session whose view is built. */
  events: number
  /** Of each kind. */
  prompts: number
}

export interface Times {
  p50: number
  p99: number
}

export interface OpenCodeFigures {
  /** Into a view, and out of the journal with nothing made of them. */
  rebuildPerSecond: number
  readPerSecond: number
  /** From sending a prompt to the first that is heard of its turn, of its answer, and to its end. */
  api: { first: Times; answer: Times; end: Times }
  direct: { answer: Times; end: Times }
}

const PAGE_EVENTS = 500
/** The mock agent thinks for longer over other prompts. */
const PROMPT = 'stream 1'
const WARM_UP = 20

const options: OpenCodeLoad = JSON.parse(process.argv[2] ?? '{}')
mkdirSync(options.folder, { recursive: true })
const figures: OpenCodeFigures = { ...(await rebuild(options)), ...(await talk(options)) }
process.stdout.write(JSON.stringify(figures))

async function rebuild({ folder, rounds, events }: OpenCodeLoad) {
  const journal = join(folder, 'long.sqlite')
  await writeLongSession(journal, events)
  const store = await openJournal(journal)
  const times = { build: [] as number[], read: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.read.push(await timed(async () => await readAll(store, events)))
    times.build.push(
      await timed(async () => {
        const { lastSeq } = await new Views(store).get(LONG_SESSION)
        if (lastSeq !== events) throw new Error(`Of ${events} events ${lastSeq} were shown.`)
      }),
    )
  }
  await store.close()
  const perSecond = (of: number[]): number => events / (median(of) / 1000)
  return { rebuildPerSecond: perSecond(times.build), readPerSecond: perSecond(times.read) }
}

async function readAll(store: JournalStore, events: number): Promise<void> {
  for (let after = 0; after < events; ) after = (await store.page(LONG_SESSION, { after, limit: PAGE_EVENTS })).lastSeq
}

async function talk({ folder, server, prompts }: OpenCodeLoad) {
  const measured = await startMeasured(server)
  const direct = await DirectAgent.start(join(folder, 'direct'))
  const api = await ApiClient.open(measured)
  try {
    await promptInTurn(api, direct, WARM_UP)
    return await promptInTurn(api, direct, prompts)
  } finally {
    // The process that started this waits until all of them have ended.
    api.close()
    await direct.stop()
    await measured.stop()
  }
}

/** So that whatever else the machine does hits both alike. */
async function promptInTurn(api: ApiClient, direct: DirectAgent, prompts: number) {
  const through: { first: number; answer: number; end: number }[] = []
  const alone: { answer: number; end: number }[] = []
  for (let n = 0; n < prompts; n++) {
    through.push(await api.prompt(PROMPT))
    alone.push(await direct.prompt(PROMPT))
  }
  return {
    api: {
      first: timesOf(through.map(({ first }) => first)),
      answer: timesOf(through.map(({ answer }) => answer)),
      end: timesOf(through.map(({ end }) => end)),
    },
    direct: { answer: timesOf(alone.map(({ answer }) => answer)), end: timesOf(alone.map(({ end }) => end)) },
  }
}

function timesOf(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

async function timed(run: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}
