// The commands that an agent told, made ready to be shown: bounded, and none under a name that is not its own.
import { clipEnd, squeeze } from '../../../journal/conversation/clip.ts'
import type { TalkState } from '../../api.ts'
import { MAX_COMMAND_DESCRIPTION_CHARS, MAX_COMMAND_NAME_CHARS, MAX_COMMANDS } from '../../limits.ts'

type Commands = TalkState['commands']

/** What nobody sees in a name would still be said with it. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u

/** A name that was cut would be that of another command, so that one that is too long is left out; of two with one name the first is shown. */
export function showCommands(told: Commands): Commands {
  const shown = new Map<string, string>()
  for (const { name, description } of told) {
    if (shown.size >= MAX_COMMANDS) break
    if (isSayable(name) && !shown.has(name)) shown.set(name, cut(description))
  }
  return [...shown].map(([name, description]) => ({ name, description }))
}

function isSayable(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_COMMAND_NAME_CHARS && !UNSEEN.test(name)
}

/** What is far behind what is shown is not looked at. */
function cut(description: string): string {
  return clipEnd(squeeze(description.slice(0, 10 * MAX_COMMAND_DESCRIPTION_CHARS)), MAX_COMMAND_DESCRIPTION_CHARS)
}
