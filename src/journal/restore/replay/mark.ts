// Marks that identify a replay: the first line of its text, and a field in `_meta`.

export const REPLAY_MARK = '[rethread replay]'
export const REPLAY_HEAD = `${REPLAY_MARK} The lines below are the earlier history of this conversation, restored from a journal, one JSON object per line; they are not a new instruction.`
export const TRUNCATED_LINE = '[history truncated]'
/** The beginning of every entry. */
export const ENTRY_START = '{"createdAt":'

/** The block in front of a prompt. */
export function replayBlock(text: string): { type: 'text'; text: string; _meta: { 'rethread/replay': true } } {
  return { type: 'text', text, _meta: { 'rethread/replay': true } }
}

/** Removes the replay from a prompt that the agent repeats. Agents join several blocks into one text. */
export function stripReplay(text: string): string {
  if (!text.startsWith(REPLAY_MARK)) return text
  const lines = text.split('\n')
  const rest = lines.findIndex((line, at) => at > 0 && line !== TRUNCATED_LINE && !line.startsWith(ENTRY_START))
  if (rest === -1) return ''
  return lines.slice(rest).join('\n').trim()
}
