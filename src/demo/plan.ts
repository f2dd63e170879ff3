// Which sessions the demo has: whose, about what, how old, and what is wrong with each.
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import type { Random } from '../agents/samples/random.ts'
import type { SampleMaker } from '../agents/samples/sample.ts'
import type { Damage } from '../repair/damage/damage.ts'
import type { MakeableKind } from './kinds.ts'
import { damagesOf } from './kinds.ts'
import { errands } from './stories/errands.ts'
import { questions, stories } from './stories/index.ts'
import type { Story } from './story.ts'

export interface PlannedSession {
  maker: SampleMaker
  story: Story
  /** How long ago it ended. */
  ageMs: number
  trouble: Trouble
  /** It worked for the session that is planned before it. */
  isSubagent?: boolean
}

export type Trouble =
  | { type: 'none' }
  | { type: 'damage'; damage: Damage; kind: MakeableKind }
  /** Nothing can be read of it any more: the file has no bytes, or only those that a disk gives back for what it has lost. */
  | { type: 'emptied' | 'zeroed' }
  /** Cut short on its way to the disk; for kinds that no damage of ours is known for. */
  | { type: 'cut' }
  /** It grows while the demo runs. */
  | { type: 'growing' }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** What a person has kept, where the agent does not delete by itself. */
const OLDEST_DAYS = 300
/** Of an agent that deletes, the oldest are as near as this to the day. */
const SOON_DELETED_DAYS = 5
/** The hour is chosen later: less than the days there are. */
const SOON_SPREAD_DAYS = 3
const SOON_DELETED = 3
/** All that was ever talked about, so many times over: several thousand messages. */
const LONGEST_PASSES = 8
/** Of a kind that is only read. */
const READABLE = 5

export interface PlanParts {
  agents: readonly Agent[]
  environment: Environment
  kinds: readonly MakeableKind[]
  /** Of all kinds of sessions, also those that are only read here. */
  makers: readonly SampleMaker[]
  random: Random
}

export function planSessions(parts: PlanParts): PlannedSession[] {
  const healthy = planHealthy(parts)
  const damaged = planDamaged(parts)
  return [...healthy, ...damaged, ...planSpecial(parts), ...planReadable(parts)]
}

function planHealthy({ kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const makers = kinds.map(({ maker }) => maker)
  const ages = new Ages({ ...parts, kinds, random })
  const told = mix([...stories, ...questions], random)
  return told.flatMap((story, index): PlannedSession[] => {
    // Everybody first, then those at the head of the list more often.
    const maker = makers[index % (2 * makers.length) === index ? index % makers.length : pickEarly(makers, random)]
    if (maker === undefined) return []
    const planned: PlannedSession = { maker, story, ageMs: ages.next(maker), trouble: { type: 'none' } }
    const errand = maker.hasSubagents === true ? errands.find(({ project }) => project === story.project) : undefined
    if (errand === undefined || story.isShort === true) return [planned]
    return [planned, { ...planned, story: errand, isSubagent: true }]
  })
}

/** Some of each kind that no damage is known for, one of them cut where it can be. */
function planReadable({ makers, kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const ages = new Ages({ ...parts, makers, kinds, random })
  const others = makers.filter(maker => kinds.every(kind => kind.maker !== maker))
  return others.flatMap(maker =>
    mix(stories, random)
      .slice(0, READABLE)
      .map((story, index): PlannedSession => {
        const trouble: Trouble = index === 0 && maker.canDamage ? { type: 'cut' } : { type: 'none' }
        return { maker, story, ageMs: ages.next(maker), trouble }
      }),
  )
}

/** Each damage in each kind of session that can have it. */
function planDamaged({ kinds, random, ...parts }: PlanParts): PlannedSession[] {
  const ages = new Ages({ ...parts, kinds, random })
  const told = mix(stories, random)
  const wanted = kinds.flatMap(kind => damagesOf(kind).map(damage => ({ kind, damage })))
  return wanted.flatMap(({ kind, damage }, index): PlannedSession[] => {
    const story = told[index % told.length]
    if (story === undefined) return []
    return [{ maker: kind.maker, story, ageMs: ages.next(kind.maker), trouble: { type: 'damage', damage, kind } }]
  })
}

function planSpecial({ kinds, random }: PlanParts): PlannedSession[] {
  const firstOf = (framing: string) =>
    kinds.filter(({ traits }) => traits.framing === framing).map(({ maker }) => maker)
  const [first, second] = firstOf('json-lines')
  const [document] = firstOf('json-document')
  const [story] = stories
  if (first === undefined || second === undefined || document === undefined || story === undefined) return []
  const none: Trouble = { type: 'none' }
  const long = joined('The long way to the new checkout', 'shop', repeat(mix(stories, random), LONGEST_PASSES))
  const growing = joined('Clean up before the release', 'storefront', mix(stories, random))
  return [
    { maker: first, story: long, ageMs: 2 * DAY_MS, trouble: none },
    {
      maker: second,
      story: joined('Everything before the audit', 'billing', stories),
      ageMs: 9 * DAY_MS,
      trouble: none,
    },
    { maker: first, story: { ...story, title: 'A price for every country' }, ageMs: 4 * MINUTE_MS, trouble: none },
    { maker: first, story, ageMs: 6 * DAY_MS, trouble: { type: 'emptied' } },
    { maker: document, story, ageMs: 11 * DAY_MS, trouble: { type: 'zeroed' } },
    { maker: first, story: growing, ageMs: 0, trouble: { type: 'growing' } },
  ]
}

function joined(title: string, project: string, parts: readonly Story[]): Story {
  return { title, project, turns: parts.flatMap(({ turns }) => turns) }
}

function repeat<T>(list: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => list).flat()
}

/** Ages from yesterday on, more of them recent; where the agent deletes by itself, none that would be gone. */
class Ages {
  readonly #parts: PlanParts
  readonly #given = new Map<string, number>()

  constructor(parts: PlanParts) {
    this.#parts = parts
  }

  next({ agent }: SampleMaker): number {
    const { agents, environment, random } = this.#parts
    const kept = agents.find(({ id }) => id === agent)?.retention?.(environment)?.days
    const given = this.#given.get(agent) ?? 0
    this.#given.set(agent, given + 1)
    if (kept === undefined) return (1 + random.next() ** 2 * (OLDEST_DAYS - 1)) * DAY_MS
    if (given < SOON_DELETED) return (kept - SOON_DELETED_DAYS + random.next() * SOON_SPREAD_DAYS) * DAY_MS
    return (1 + random.next() ** 2 * (kept - SOON_DELETED_DAYS - 1)) * DAY_MS
  }
}

/** Half of the time one of the first few. */
function pickEarly(list: readonly unknown[], random: Random): number {
  return Math.floor(random.next() ** 2 * list.length)
}

function mix<T>(list: readonly T[], random: Random): T[] {
  const left = [...list]
  return list.flatMap(() => left.splice(random.below(left.length), 1))
}
