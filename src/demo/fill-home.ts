// Writes the planned sessions into the stores of a home, and gives each turn
// its time: people take minutes, models seconds.
import { join } from 'node:path'
import type { Turn } from '../agents/samples/conversation.ts'
import { Random } from '../agents/samples/random.ts'
import type { MadeSample, SampleStore, SampleStoreOptions } from '../agents/samples/sample.ts'
import type { TextSource } from '../agents/samples/text.ts'
import { listSampleFiles } from '../disk/files/sample-files.ts'
import type { PlannedSession } from './plan.ts'
import type { UntimedTurn } from './story.ts'

export interface WrittenSession {
  planned: PlannedSession
  made: MadeSample
  /** Milliseconds since 1970. */
  endsAt: number
  /** The files written for the session. A database can be listed by several sessions. */
  files: string[]
}

interface FillOptions {
  home: string
  /** The parent of the project folders. */
  projects: string
  seed: number
  now: number
  onSession(): void
}

export function fillHome(planned: readonly PlannedSession[], options: FillOptions): WrittenSession[] {
  const known = new Set(listSampleFiles(options.home))
  const stores = Map.groupBy(planned, session => {
    const { isApart, isEarly } = storeOf(session)
    return [session.maker.agent, session.maker.store, isApart, isEarly].join('\n')
  })
  return [...stores.values()].flatMap(sessions => fillStore(sessions, known, options))
}

function storeOf({ problem }: PlannedSession): Required<SampleStoreOptions> {
  const { breaksStore = false, isOfEarlyVersions = false } = problem.type === 'damage' ? problem.damage : {}
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
  const random = new Random([seed, maker.agent, maker.store, nameOf(planned.problem), index].join(' '))
  const endsAt = endOf(planned, now, random)
  const isGrowing = planned.problem.type === 'growing'
  const turns = isGrowing ? timeGrowing(story.turns, now) : timeTurns(story.turns, endsAt, random)
  const made = store.add({
    index,
    random,
    text: plainText(random),
    bytes: 0,
    isDamaged: planned.problem.type === 'cut',
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

/** An earlier day than today gets a random time during working hours. */
function endOf({ ageMs }: PlannedSession, now: number, random: Random): number {
  if (ageMs < DAY_MS) return now - ageMs
  const day = new Date(now - ageMs)
  return day.setHours(WORK_BEGINS, 0, 0, Math.floor(random.next() * WORK_HOURS * 60 * 60 * 1000))
}

/** Part of the seed. A store can be opened twice, and its sessions must not get the same ids. */
function nameOf(problem: PlannedSession['problem']): string {
  return problem.type === 'damage' ? problem.damage.id : problem.type
}

/** The files that are not in `known` yet. Adds them to it. */
function newFiles(home: string, known: Set<string>): string[] {
  const fresh = listSampleFiles(home).filter(path => !known.has(path))
  for (const path of fresh) known.add(path)
  return fresh
}

const PROMPT_MEDIAN_MS = 90_000
const STEP_MEDIAN_MS = 9000
/** The time between a call and its result. */
const RESULTS_MS = 6000

/** Gives each turn a time, so that the last one ends at `endsAt`. */
function timeTurns(turns: readonly UntimedTurn[], endsAt: number, random: Random): Turn[] {
  const gaps = turns.map(({ type }) => {
    const median = type === 'prompt' ? PROMPT_MEDIAN_MS : STEP_MEDIAN_MS
    return Math.round(RESULTS_MS + random.logNormal(median, 0.5))
  })
  let time = endsAt - RESULTS_MS - gaps.reduce((sum, gap) => sum + gap, 0)
  return turns.map((turn, index) => {
    time += gaps[index] ?? 0
    return { ...turn, time }
  })
}

/** The turns of the growing session that are over when the demo starts. */
const SPOKEN_TURNS = 6
/** The pace of the other turns: about as fast as growth.ts writes them. */
const TURN_MS = 9000

/** Gives the turns of a running conversation their times: some before `now`, the others after it. */
function timeGrowing(turns: readonly UntimedTurn[], now: number): Turn[] {
  return turns.map((turn, index) => ({ ...turn, time: now + (index - SPOKEN_TURNS) * TURN_MS }))
}

const SUBJECTS = [
  'Reading the code',
  'Weighing the ways',
  'Checking the tests',
  'Finding the cause',
  'Planning the change',
]
const INSTRUCTIONS =
  'You are a careful colleague who works in the folder of the person. Say what you are going to do, then do it.'

/** The texts that a store has beside the conversation, such as instructions. */
function plainText(random: Random): TextSource {
  return {
    prose: () => INSTRUCTIONS,
    code: () => '',
    output: () => '',
    title: () => random.pick(SUBJECTS),
    path: () => 'src/index.ts',
  }
}
