// Writes the planned sessions into the stores of a home.
import { join } from 'node:path'
import { Random } from '../agents/samples/random.ts'
import type { MadeSample, SampleStore, SampleStoreOptions } from '../agents/samples/sample.ts'
import { listSampleFiles } from '../disk/files/sample-files.ts'
import type { PlannedSession } from './plan.ts'
import { plainText, timeGoingOn, timeTurns } from './turns.ts'

export interface WrittenSession {
  planned: PlannedSession
  made: MadeSample
  /** Milliseconds since 1970. */
  endsAt: number
  /** What was written for it; a database can be in the lists of several. */
  files: string[]
}

export interface FillOptions {
  home: string
  /** The folder with the folders of the projects. */
  projects: string
  seed: number
  now: number
  onSession(): void
}

export function fillHome(planned: readonly PlannedSession[], options: FillOptions): WrittenSession[] {
  const known = new Set(listSampleFiles(options.home))
  const stores = Map.groupBy(planned, session => {
    const { isApart, isEarly } = storeOf(session)
    return [session.maker.agent, session.maker.generation, isApart, isEarly].join('\n')
  })
  return [...stores.values()].flatMap(sessions => fillStore(sessions, known, options))
}

function storeOf({ trouble }: PlannedSession): Required<SampleStoreOptions> {
  const { breaksStore = false, isOfEarlyVersions = false } = trouble.type === 'damage' ? trouble.damage : {}
  return { isApart: breaksStore, isEarly: isOfEarlyVersions }
}

function fillStore(sessions: readonly PlannedSession[], known: Set<string>, options: FillOptions): WrittenSession[] {
  const [first] = sessions
  if (first === undefined) return []
  const store = first.maker.open(options.home, storeOf(first))
  const written: WrittenSession[] = []
  for (const [index, planned] of sessions.entries()) {
    const parent = planned.isSubagent === true ? written.at(-1)?.made.sessionId : undefined
    const session = addSession(store, planned, index, parent, options)
    written.push({ ...session, files: [session.made.file, ...newFiles(options.home, known)] })
    options.onSession()
  }
  store.close()
  written.at(-1)?.files.push(...newFiles(options.home, known))
  return written
}

function addSession(
  store: SampleStore,
  planned: PlannedSession,
  index: number,
  parent: string | undefined,
  { projects, seed, now }: FillOptions,
): Omit<WrittenSession, 'files'> {
  const { maker, story } = planned
  const random = new Random([seed, maker.agent, maker.generation, nameOf(planned.trouble), index].join(' '))
  const endsAt = endOf(planned, now, random)
  const isGoingOn = planned.trouble.type === 'growing'
  const turns = isGoingOn ? timeGoingOn(story.turns, now) : timeTurns(story.turns, endsAt, random)
  const made = store.add({
    index,
    random,
    text: plainText(random),
    bytes: 0,
    isDamaged: planned.trouble.type === 'cut',
    project: join(projects, story.project),
    startedAt: turns[0]?.time ?? endsAt,
    turns,
    title: story.title,
    ...(parent === undefined ? {} : { subagentOf: parent }),
  })
  return { planned, made, endsAt }
}

const WORK_BEGINS = 8
const WORK_HOURS = 14
const DAY_MS = 24 * 60 * 60 * 1000

/** Of another day than today, while people are awake. */
function endOf({ ageMs }: PlannedSession, now: number, random: Random): number {
  if (ageMs < DAY_MS) return now - ageMs
  const day = new Date(now - ageMs)
  return day.setHours(WORK_BEGINS, 0, 0, Math.floor(random.next() * WORK_HOURS * 60 * 60 * 1000))
}

/** The same store can be opened twice, and two sessions must not get the same id. */
function nameOf(trouble: PlannedSession['trouble']): string {
  return trouble.type === 'damage' ? trouble.damage.id : trouble.type
}

/** Those that were not there before. */
function newFiles(home: string, known: Set<string>): string[] {
  const fresh = listSampleFiles(home).filter(path => !known.has(path))
  for (const path of fresh) known.add(path)
  return fresh
}
