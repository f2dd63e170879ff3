// The prompts that a replay text tells of: an agent that was given it knows them too.

import { readList, readString } from '../../conversation/blocks.ts'
import { CUT_MARK } from '../../conversation/clip.ts'
import { fields } from '../../envelope.ts'
import { ENTRY_START } from '../replay/mark.ts'

/** Each as the pieces that are left of it. */
export function readReplayedPrompts(text: string): string[][] {
  return text.split('\n').flatMap(line => {
    const prompt = line.startsWith(ENTRY_START) ? readPrompt(line) : undefined
    return prompt === undefined ? [] : [prompt.split(CUT_MARK)]
  })
}

function readPrompt(line: string): string | undefined {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch (error) {
    // The agent shortened it.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { method, params } = fields(fields(entry)['payload'])
  if (method !== 'session/prompt') return undefined
  return readList(fields(params)['prompt'])
    .map(block => readString(fields(block)['text']) ?? '')
    .join('\n')
}
