// `stream N`: an answer of N words, one chunk each.
import type { Turn } from '../turn.ts'
import type { Prompt } from './prompt.ts'

const DEFAULT_WORDS = 20
const MAX_WORDS = 100_000
const BETWEEN_WORDS_MS = 3

export const stream: Prompt = {
  name: 'stream',
  async run(turn) {
    const asked = Number.parseInt(turn.asked.rest, 10)
    await streamWords(turn, Number.isNaN(asked) ? DEFAULT_WORDS : Math.min(asked, MAX_WORDS), BETWEEN_WORDS_MS)
    return 'end_turn'
  },
}

export async function streamWords(turn: Turn, count: number, betweenMs: number): Promise<void> {
  for (let index = 1; index <= count; index++) {
    await turn.say(index === 1 ? 'word1' : ` word${index}`)
    await turn.pause(betweenMs)
  }
}
