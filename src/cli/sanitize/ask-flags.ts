// Asks for the flags that a conversation was started with, shows what they mean, and only then returns them.
import type { FlagsDecision, FlagsProblem } from '../../agents/sanitizer.ts'
import { cleanLine, cleanText } from '../print/clean.ts'
import type { Ask } from './ask.ts'

export type FlagsReply = FlagsDecision | { type: 'stop' }

export async function askFlags(problem: FlagsProblem, ask: Ask): Promise<FlagsReply> {
  const { remembered = '' } = problem
  ask.say(
    '',
    `Conversation ${cleanLine(problem.conversation)} has a corrupt ${cleanLine(problem.file)}.`,
    cleanLine(problem.text),
  )
  const skipping = remembered === '' ? 'press Enter to skip' : 'empty the line and press Enter to skip'
  let line = cleanLine(remembered)
  for (;;) {
    const typed = await ask.line(`Enter the original flags to rebuild (or ${skipping}):`, line)
    if (typed.type !== 'answer') return typed
    line = typed.value.trim()
    if (line === '') return { type: 'skip' }
    const result = problem.parse(line)
    if (result.type === 'wrong') {
      ask.say(`These flags cannot be used: ${cleanLine(result.text)}`)
      continue
    }
    ask.say('These overrides would be written:', ...showDelta(result.delta), ...result.notes.map(cleanLine))
    const answer = await ask.choose('Write them?', [
      { value: 'write', label: 'Write them' },
      { value: 'again', label: 'Change the flags' },
      { value: 'skip', label: 'Skip', hint: 'it loads without its overrides' },
    ])
    if (answer.type !== 'answer') return answer
    if (answer.value === 'write') return { type: 'flags', result }
    if (answer.value === 'skip') return { type: 'skip' }
  }
}

function showDelta(delta: Record<string, unknown>): string[] {
  return cleanText(JSON.stringify(delta, null, 2)).split('\n')
}
