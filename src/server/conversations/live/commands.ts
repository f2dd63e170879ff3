// Prepares the commands of an agent for display: bounded, and only with names that can be typed.
import { clipEnd, squeeze } from '../../../journal/conversation/clip.ts'
import type { TalkState } from '../../api.ts'
import { MAX_COMMAND_DESCRIPTION_CHARS, MAX_COMMAND_NAME_CHARS, MAX_COMMANDS } from '../../limits.ts'

type Commands = TalkState['commands']

/** Invisible characters would be sent as part of the name. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/u

/**
 * A command with a name that is too long is left out, because a cut name is a different command. Of two with
 * the same name the first is shown.
 */
export function showCommands(commands: Commands): Commands {
  const shown = new Map<string, string>()
  for (const { name, description } of commands) {
    if (shown.size >= MAX_COMMANDS) break
    if (isSayable(name) && !shown.has(name)) shown.set(name, cut(description))
  }
  return [...shown].map(([name, description]) => ({ name, description }))
}

function isSayable(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_COMMAND_NAME_CHARS && !INVISIBLE.test(name)
}

/** Cuts before cleaning, so that a huge text costs nothing. */
function cut(description: string): string {
  return clipEnd(squeeze(description.slice(0, 10 * MAX_COMMAND_DESCRIPTION_CHARS)), MAX_COMMAND_DESCRIPTION_CHARS)
}
