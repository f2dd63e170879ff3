// A home full of sessions as the agents would have left them. The same seed gives the same library.
import { Random } from '../../src/agents/samples/random.ts'
import type { MadeSample, SampleMaker, SamplePlan } from '../../src/agents/samples/sample.ts'
import type { TextSource } from '../../src/agents/samples/text.ts'
import { makeTextOf } from '../../src/agents/samples/text.ts'
import { makers } from './list.ts'

export interface LibraryOptions {
  /** An empty folder, or one that does not exist yet: never a real home. */
  home: string
  seed: number
  /** All of them unless given. */
  agents?: readonly string[]
  /** All that the agents have had unless given. */
  generations?: readonly string[]
  sessionsPerAgent: number
  /** Half of the sessions are smaller than this. */
  medianBytes: number
  /** The share of sessions that get one damage each, from 0 to 1. */
  damageShare: number
  /** One more session of this size in each store. */
  largeBytes?: number
}

/** Sessions of one person differ in size by a factor of about ten between the small and the large ones. */
const SIZE_SIGMA = 0.6
const PROJECTS = ['shop', 'api', 'web', 'billing', 'docs', 'infra'].map(name => `/home/dev/${name}`)
const FIRST_DAY = Date.UTC(2026, 0, 1)
const DAYS = 300
const DAY_MS = 24 * 60 * 60 * 1000

export function generateLibrary(options: LibraryOptions): MadeSample[] {
  const text = makeTextOf(`${options.seed} text`)
  const chosen = chooseMakers(options)
  return chosen.flatMap(maker => {
    const siblings = chosen.filter(other => other.agent === maker.agent)
    return fillStore(maker, shareOf(options.sessionsPerAgent, siblings, maker), options, text)
  })
}

function chooseMakers({ agents, generations }: LibraryOptions): SampleMaker[] {
  const unknown = agents?.find(agent => !makers.some(maker => maker.agent === agent))
  if (unknown !== undefined) throw new Error(`There is no generator for "${unknown}".`)
  return makers.filter(maker => (agents?.includes(maker.agent) ?? true) && (generations?.includes(maker.store) ?? true))
}

/** The sessions of an agent are spread over the store generations it has had; the first takes what is left over. */
function shareOf(sessions: number, siblings: SampleMaker[], maker: SampleMaker): number {
  const each = Math.floor(sessions / siblings.length)
  return siblings[0] === maker ? sessions - each * (siblings.length - 1) : each
}

function fillStore(maker: SampleMaker, sessions: number, options: LibraryOptions, text: TextSource): MadeSample[] {
  const random = new Random(`${options.seed} ${maker.agent} ${maker.store}`)
  const store = maker.open(options.home)
  const made = Array.from({ length: sessions }, (_, index) => {
    const bytes = Math.max(500, random.logNormal(options.medianBytes, SIZE_SIGMA))
    const isDamaged = random.chance(options.damageShare) && maker.canDamage
    return store.add(planSession(random, text, index, bytes, isDamaged))
  })
  if (options.largeBytes !== undefined)
    made.push(store.add(planSession(random, text, sessions, options.largeBytes, false)))
  store.close()
  return made
}

function planSession(random: Random, text: TextSource, index: number, bytes: number, isDamaged: boolean): SamplePlan {
  const startedAt = FIRST_DAY + Math.floor(random.next() * DAYS * DAY_MS)
  return { index, random, text, bytes, isDamaged, project: random.pick(PROJECTS), startedAt }
}
