// Plans the sessions of the demo: the agent, the story, the age and the damage of each.
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import type { Random } from '../agents/samples/random.ts'
import type { SampleMaker } from '../agents/samples/sample.ts'
import type { Damage } from '../repair/damage/damage.ts'
import type { MakeableKind } from './kinds.ts'
import { damagesOf } from './kinds.ts'
import { errands, questions, stories } from './stories/index.ts'
import type { Story } from './story.ts'

export interface PlannedSession {
  maker: SampleMaker
  story: Story
  /** The time since the end of the conversation. */
  ageMs: number
  problem: PlannedProblem
  /** It is a subagent of the session planned before it. */
  isSubagent?: boolean
  /** It is filed under another project, where its agent does not list it. */
  isMisplaced?: boolean
}

type PlannedProblem =
  | { type: 'none' }
  | { type: 'damage'; damage: Damage; kind: MakeableKind }
  /** Nothing in it can be read: the file has no bytes, or only zeros. */
  | { type: 'emptied' | 'zeroed' }
  /** The file is cut short. For kinds of sessions without known damages. */
  | { type: 'cut' }
  /** It grows while the demo runs. */
  | { type: 'growing' }
  /** It is archived; then its agent, or a person, deleted it, or a resume cut it short. */
  | { type: 'deleted' | 'shortened' }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** The age of the oldest session of an agent that deletes none. */
const OLDEST_DAYS = 300
/** The oldest sessions of an agent that deletes old ones are deleted in this many days. */
const SOON_DELETED_DAYS = 5
/** The range of those ages. Less than SOON_DELETED_DAYS, because the hour is chosen later. */
const SOON_SPREAD_DAYS = 3
const SOON_DELETED = 3
/** The longest session repeats all stories this often and has several thousand messages. */
const LONGEST_PASSES = 8
/** The sessions of a kind that rethread only reads. */
const READABLE = 5

interface PlanParts {
  agents: readonly Agent[]
  environment: Environment
  kinds: readonly MakeableKind[]
  /** For all kinds of sessions, also those that rethread only reads. */
  makers: readonly SampleMaker[]
  random: Random
}

export function planSessions(parts: PlanParts): PlannedSession[] {
  const healthy = planHealthy(parts)
  const damaged = planDamaged(parts)
  return [...healthy, ...damaged, ...planSpecial(parts), ...planReadable(parts), ...planArchived(parts)]
}

function planHealthy({ kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const makers = kinds.map(({ maker }) => maker)
  const ages = new Ages({ ...parts, kinds, random })
  const mixed = mix([...stories, ...questions], random)
  return mixed.flatMap((story, index): PlannedSession[] => {
    // Every maker twice, then those at the head of the list more often.
    const maker = makers[index % (2 * makers.length) === index ? index % makers.length : pickEarly(makers, random)]
    if (maker === undefined) return []
    const planned: PlannedSession = { maker, story, ageMs: ages.next(maker), problem: { type: 'none' } }
    const errand = maker.hasSubagents === true ? errands.find(({ project }) => project === story.project) : undefined
    if (errand === undefined || story.isShort === true) return [planned]
    return [planned, { ...planned, story: errand, isSubagent: true }]
  })
}

/** A few sessions of each kind without known damages, the first of them cut short if possible. */
function planReadable({ makers, kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const ages = new Ages({ ...parts, makers, kinds, random })
  const others = makers.filter(maker => kinds.every(kind => kind.maker !== maker))
  return others.flatMap(maker =>
    mix(stories, random)
      .slice(0, READABLE)
      .map((story, index): PlannedSession => {
        const problem: PlannedProblem = index === 0 && maker.canDamage ? { type: 'cut' } : { type: 'none' }
        return { maker, story, ageMs: ages.next(maker), problem: problem }
      }),
  )
}

/** One session for each damage of each kind of session. */
function planDamaged({ kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const ages = new Ages({ ...parts, kinds, random })
  const mixed = mix(stories, random)
  const wanted = kinds.flatMap(kind => damagesOf(kind).map(damage => ({ kind, damage })))
  return wanted.flatMap(({ kind, damage }, index): PlannedSession[] => {
    const story = mixed[index % mixed.length]
    if (story === undefined) return []
    return [{ maker: kind.maker, story, ageMs: ages.next(kind.maker), problem: { type: 'damage', damage, kind } }]
  })
}

function planSpecial({ kinds, random }: PlanParts): PlannedSession[] {
  const firstOf = (framing: string) =>
    kinds.filter(({ traits }) => traits.framing === framing).map(({ maker }) => maker)
  const [first, second] = firstOf('json-lines')
  const [document] = firstOf('json-document')
  const [story] = stories
  if (first === undefined || second === undefined || document === undefined || story === undefined) return []
  const none: PlannedProblem = { type: 'none' }
  const long = joined('The long way to the new checkout', 'shop', repeat(mix(stories, random), LONGEST_PASSES))
  const growing = joined('Clean up before the release', 'storefront', mix(stories, random))
  return [
    { maker: first, story: long, ageMs: 2 * DAY_MS, problem: none },
    {
      maker: second,
      story: joined('Everything before the audit', 'billing', stories),
      ageMs: 9 * DAY_MS,
      problem: none,
    },
    { maker: first, story: { ...story, title: 'A price for every country' }, ageMs: 4 * MINUTE_MS, problem: none },
    { maker: first, story, ageMs: 6 * DAY_MS, problem: { type: 'emptied' } },
    { maker: document, story, ageMs: 11 * DAY_MS, problem: { type: 'zeroed' } },
    { maker: first, story: growing, ageMs: 0, problem: { type: 'growing' } },
  ]
}

/** So many are deleted at once by an agent that deletes old ones. */
const PURGED = 6

/** Deleted by their agent, by a person, and cut short. Only the archive has all of them. */
function planArchived({ agents, environment, kinds, random }: PlanParts): PlannedSession[] {
  const logs = kinds.filter(({ traits }) => traits.framing === 'json-lines').map(({ maker }) => maker)
  const daysOf = ({ agent }: SampleMaker) => agents.find(({ id }) => id === agent)?.retention?.(environment)?.days
  const deleting = logs.find(maker => daysOf(maker) !== undefined)
  const other = logs.find(maker => daysOf(maker) === undefined)
  if (deleting === undefined || other === undefined) return []
  const days = daysOf(deleting) ?? 0
  const mixed = mix(stories, random)
  const ages = [...Array.from({ length: PURGED }, (_, index) => days + 3 + index), 6, 1, 3]
  const makers = [...Array.from({ length: PURGED }, () => deleting), other, deleting, other]
  return ages.flatMap((age, index): PlannedSession[] => {
    const [maker, story] = [makers[index], mixed[index]]
    if (maker === undefined || story === undefined) return []
    const type = index <= PURGED ? ('deleted' as const) : ('shortened' as const)
    return [{ maker, story, ageMs: age * DAY_MS, problem: { type } }]
  })
}

function joined(title: string, project: string, parts: readonly Story[]): Story {
  return { title, project, turns: parts.flatMap(({ turns }) => turns) }
}

function repeat<T>(list: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => list).flat()
}

/**
 * Ages of at least a day, most of them recent. None exceeds the time after which the agent deletes sessions.
 */
class Ages {
  readonly #parts: PlanParts
  readonly #given = new Map<string, number>()

  constructor(parts: PlanParts) {
    this.#parts = parts
  }

  next({ agent }: SampleMaker): number {
    const { agents, environment, random } = this.#parts
    const days = agents.find(({ id }) => id === agent)?.retention?.(environment)?.days
    const given = this.#given.get(agent) ?? 0
    this.#given.set(agent, given + 1)
    if (days === undefined) return (1 + random.next() ** 2 * (OLDEST_DAYS - 1)) * DAY_MS
    if (given < SOON_DELETED) return (days - SOON_DELETED_DAYS + random.next() * SOON_SPREAD_DAYS) * DAY_MS
    return (1 + random.next() ** 2 * (days - SOON_DELETED_DAYS - 1)) * DAY_MS
  }
}

/** Returns an index. Half of the time it is in the first quarter of the list. */
function pickEarly(list: readonly unknown[], random: Random): number {
  return Math.floor(random.next() ** 2 * list.length)
}

/** A shuffled copy. */
function mix<T>(list: readonly T[], random: Random): T[] {
  const left = [...list]
  return list.flatMap(() => left.splice(random.below(left.length), 1))
}
