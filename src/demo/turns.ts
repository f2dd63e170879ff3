// When each thing was said: people take minutes, models seconds.
import type { Turn } from '../agents/samples/conversation.ts'
import type { Random } from '../agents/samples/random.ts'
import type { TextSource } from '../agents/samples/text.ts'
import type { UntimedTurn } from './story.ts'

const PROMPT_MEDIAN_MS = 90_000
const STEP_MEDIAN_MS = 9000
/** Results of calls are written down a little after the call. */
const RESULTS_MS = 6000

/** So that the last one is over at `endsAt`. */
export function timeTurns(turns: readonly UntimedTurn[], endsAt: number, random: Random): Turn[] {
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

/** As many as are there when the demo begins, and how fast the others come: about as fast as they are written then. */
const SPOKEN_TURNS = 6
const TURN_MS = 9000

/** Of a conversation that is being held: the first turns are over, the others will come. */
export function timeGoingOn(turns: readonly UntimedTurn[], now: number): Turn[] {
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

/** What makers write beside the conversation. */
export function plainText(random: Random): TextSource {
  return {
    prose: () => INSTRUCTIONS,
    code: () => '',
    output: () => '',
    title: () => random.pick(SUBJECTS),
    path: () => 'src/index.ts',
  }
}
