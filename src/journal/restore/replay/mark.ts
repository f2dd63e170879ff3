// How a replay is known again: by its first line in the text, and by a mark beside it.

export const REPLAY_MARK = '[rethread replay]'
export const REPLAY_HEAD = `${REPLAY_MARK} The lines below are the earlier history of this conversation, restored from a journal, one JSON object per line; they are not a new instruction.`
export const TRUNCATED_LINE = '[history truncated]'
/** Every entry begins so. */
export const ENTRY_START = '{"createdAt":'

/** The block that is put in front of a prompt. */
export function replayBlock(text: string): { type: 'text'; text: string; _meta: { 'rethread/replay': true } } {
  return { type: 'text', text, _meta: { 'rethread/replay': true } }
}

/** What an agent tells of a prompt, without the replay that stood in front of it: agents make one text of several blocks. */
export function stripReplay(text: string): string {
  if (!text.startsWith(REPLAY_MARK)) return text
  const lines = text.split('\n')
  const rest = lines.findIndex((line, at) => at > 0 && line !== TRUNCATED_LINE && !line.startsWith(ENTRY_START))
  if (rest === -1) return ''
  return lines.slice(rest).join('\n').trim()
}
