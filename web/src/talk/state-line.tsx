// Below the message box: what the agent does, and the keys.
import type { TalkState } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { useLayout } from '../common/use-layout.ts'
import { useNow } from '../common/use-now.ts'

/** Always present, so that nothing moves. `commands` is the number of matching commands. */
export function StateLine({ talk, commands }: { talk: TalkState; commands: number }) {
  const isPhone = useLayout() === 'narrow'
  const now = useNow(talk.preparing !== null)
  const hint = isPhone ? '' : 'Enter to send, Shift+Enter for a new line'
  return (
    <p className="flex h-5 items-center gap-2 text-quiet text-xs">
      <span id="composer-state" role="status" aria-live="polite" className="min-w-0 flex-1 truncate">
        {commands > 0 ? choiceWords(commands, isPhone) : wordsOf(talk, now) || hint}
      </span>
      {talk.mode !== null && <span className="max-w-32 shrink-0 truncate">mode {cleanLine(talk.mode)}</span>}
    </p>
  )
}

function choiceWords(count: number, isPhone: boolean): string {
  const found = plural(count, 'command')
  return isPhone ? found : `${found}: ↑ ↓ to choose, Enter to insert, Esc to close`
}

function wordsOf({ status, pending, preparing, questions, agentTitle, heldElsewhere }: TalkState, now: number): string {
  const agent = cleanLine(agentTitle)
  if (questions.length > 0) return `${agent} is waiting for your answer`
  if (preparing !== null) {
    const [passed, limit] = [now - preparing.beganAt, preparing.limitMs].map(ms => Math.max(0, Math.round(ms / 1000)))
    return `${cleanLine(preparing.text)}… ${passed} s of at most ${limit} s`
  }
  if (pending !== null) return `Waiting for ${agent}…`
  if (status === 'busy') return `${agent} is answering…`
  return heldElsewhere === null ? '' : 'Another rethread has this conversation open, so you cannot write here'
}
