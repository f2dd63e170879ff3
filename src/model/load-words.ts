// How many messages a resume loads, in words. The terminal and the page use the same sentence.
import { formatNumber } from './format-number.ts'
import type { NotLoaded, Verdict } from './verdict.ts'

type Counts = Pick<Verdict, 'messageCount' | 'loads' | 'notLoaded'>

/** The agent that a conversation belongs to. */
export interface LoadingAgent {
  title: string
  /** True for rethread's own journal: nothing loads from it, so the number of saved messages counts. */
  isJournal?: boolean
}

/**
 * For example "Agent would load all 24 messages", or how many of them and where the others are. Without a
 * full stop.
 */
export function describeLoading({ messageCount, loads, notLoaded = [] }: Counts, loader: LoadingAgent): string {
  const isAll = loads.now === messageCount
  if (loader.isJournal === true) {
    if (isAll) return messageCount === 1 ? '1 message is saved' : `All ${messages(messageCount)} are saved`
    return `${formatNumber(loads.now)} of ${messages(messageCount)} are saved`
  }
  if (isAll)
    return `${loader.title} would load ${messageCount === 1 ? 'its only message' : `all ${messages(messageCount)}`}`
  const reasons = notLoaded.map(explain).join(', ')
  const some = `${loader.title} would load ${formatNumber(loads.now)} of ${messages(messageCount)}`
  return reasons === '' ? some : `${some}: ${reasons}`
}

function explain({ reason, messages: number, at }: NotLoaded): string {
  const [were, hold] = number === 1 ? ['was', 'holds'] : ['were', 'hold']
  switch (reason) {
    case 'compaction':
      return `${formatNumber(number)} ${were} summarised by a compaction${when(at)}`
    case 'rewind':
      return `${formatNumber(number)} ${were} rewound when the conversation started over${when(at)}`
    case 'left-out':
      return `${formatNumber(number)} ${hold} nothing to send`
  }
}

function when(at: string | undefined): string {
  if (at === undefined) return ''
  const time = new Date(at)
  const day = time.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' })
  return ` on ${day} at ${time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`
}

export function messages(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? 'message' : 'messages'}`
}
