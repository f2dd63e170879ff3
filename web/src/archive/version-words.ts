// Restore points in words. Pure.
import type { ApiVersion } from '../../../src/server/protocol.ts'
import { formatBytes, formatCount, plural } from '../common/format.ts'

const WORDS: Record<ApiVersion['why'], string> = {
  first: 'First copy',
  grew: 'Grew',
  changed: 'Changed',
  shrank: 'Was shortened',
  rewritten: 'Was rewritten',
  deleted: 'Was deleted',
  returned: 'Is back',
  damaged: 'Damaged in the archive',
}

/** "Was shortened, from 2,113 to 4 messages" */
export function whyWords({ why, lost, isByAgent }: ApiVersion, agentTitle: string): string {
  if (why === 'deleted' && isByAgent === true) return `Was deleted by ${agentTitle}`
  if (lost === undefined || lost.after >= lost.before) return WORDS[why]
  return `${WORDS[why]}, from ${formatCount(lost.before)} to ${plural(lost.after, 'message')}`
}

/** "25 messages, 12 KB" */
export function sizeWords({ messages, bytes, exists }: Pick<ApiVersion, 'messages' | 'bytes' | 'exists'>): string {
  if (!exists) return ''
  return messages === null ? formatBytes(bytes) : `${plural(messages, 'message')}, ${formatBytes(bytes)}`
}

export function isLoss({ why }: ApiVersion): boolean {
  return why === 'shrank' || why === 'rewritten' || why === 'deleted' || why === 'damaged'
}
