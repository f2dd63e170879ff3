// An answer with everything that Markdown has.
import type { Prompt } from './prompt.ts'

const PIECES = [
  '# A heading\n\nText with **strong**, *emphasised* and `code` words, and a [link](https://example.com).\n\n',
  '- one\n- two\n  - two and a half\n\n1. first\n2. second\n\n- [x] done\n- [ ] to do\n\n',
  '> A quotation.\n\n```ts\nexport const answer: number = 42\n```\n\n',
  '| left | right |\n|---|---:|\n| a | 1 |\n| b | 22 |\n\n---\n\nThe end.\n',
]

export const markdown: Prompt = {
  name: 'markdown',
  async run(turn) {
    for (const piece of PIECES) await turn.say(piece)
    return 'end_turn'
  },
}
