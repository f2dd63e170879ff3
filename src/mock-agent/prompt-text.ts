// What a prompt asks for: its words, without what was put in front of them.
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable'
import { isReplay } from './records.ts'

export interface Asked {
  /** As they came. */
  blocks: ContentBlock[]
  /** The first text, by which it is decided what to do. */
  first: string
  /** All texts. */
  text: string
  /** The first word in small letters, and what follows it. */
  word: string
  rest: string
}

export function readAsked(blocks: ContentBlock[]): Asked {
  const texts = blocks.flatMap(block => (block.type === 'text' && !isReplay(block) ? [block.text] : []))
  const first = texts[0] ?? ''
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(first) ?? []
  return { blocks, first, text: texts.join('\n'), word: word.toLowerCase(), rest }
}
