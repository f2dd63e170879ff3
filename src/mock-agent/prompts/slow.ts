// An answer that takes a minute: longer than anybody waits who only wants to stop it.
import type { Prompt } from './prompt.ts'
import { streamWords } from './stream.ts'

const WORDS = 600
const BETWEEN_WORDS_MS = 100

export const slow: Prompt = {
  name: 'slow',
  async run(turn) {
    await streamWords(turn, WORDS, BETWEEN_WORDS_MS)
    return 'end_turn'
  },
}
