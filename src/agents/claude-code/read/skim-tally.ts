// Counts the messages that `MessageJoiner` would give, and what they used, without making them.
import type { Message } from '../../../model/message.ts'
import { isConversation } from '../../../model/message.ts'
import type { Cost, SessionUsage, Usage } from '../../../model/usage.ts'
import { UsageTally } from '../../../model/usage.ts'
import { asTime } from '../../stores/values.ts'
import { MAX_COUNTED, MAX_HELD } from './message-joiner.ts'
import { beyond, largest } from './usage.ts'

/** A text, or milliseconds. */
type Time = string | number | null

/** The last message of the model, to which later lines may be added. */
interface OpenMessage {
  group: string
  id: string
  time: string | null
  usage: Usage | undefined
  /** What was already counted for its group. */
  counted: Usage | undefined
}

export class SkimTally {
  messageCount = 0
  readonly #usage = new UsageTally()
  readonly #counted = new Map<string, Usage>()
  #open: OpenMessage | undefined
  #isHeld = false
  #results = 0
  /** The last time of these results. */
  #resultTime: Time = null
  /** The last time of a message that the usage does not know yet. */
  #time: Time = null

  addResult(time: Time): void {
    if (this.#results === MAX_HELD) {
      this.#flush()
      this.#give('tool', time)
      return
    }
    this.#results++
    this.#resultTime = time ?? this.#resultTime
  }

  /** A message without a group. */
  add(role: Message['role'], time: Time): void {
    this.#flush()
    this.#give(role, time)
  }

  addWithUsage(id: string, time: string | null, usage: Usage): void {
    this.#flush()
    this.messageCount++
    this.#count(id, time, usage)
  }

  /** Whether the next line of this group belongs to the message before. */
  isOpen(group: string): boolean {
    return this.#open?.group === group
  }

  extend(usage: Usage | undefined): void {
    const open = this.#open
    if (open !== undefined && usage !== undefined) open.usage = largest(open.usage, usage)
    this.#isHeld = true
  }

  open(group: string, id: string, time: string | null, usage: Usage | undefined): void {
    this.#flush()
    this.#open = { group, id, time, usage, counted: this.#counted.get(group) }
    this.#isHeld = true
  }

  finish(cost: Cost | undefined): SessionUsage | undefined {
    this.#flush()
    // The last month is that of the whole cost, and of nothing else.
    if (cost !== undefined) this.#noteTime()
    return this.#usage.result(cost)
  }

  #flush(): void {
    if (this.#isHeld && this.#open !== undefined) this.#giveOpen(this.#open)
    this.#isHeld = false
    if (this.#results === 0) return
    this.messageCount += this.#results
    this.#time = this.#resultTime ?? this.#time
    this.#results = 0
    this.#resultTime = null
  }

  #giveOpen({ group, id, time, usage, counted }: OpenMessage): void {
    this.messageCount++
    if (usage === undefined) {
      this.#time = time ?? this.#time
      return
    }
    if (this.#counted.size < MAX_COUNTED) this.#counted.set(group, largest(counted, usage))
    this.#count(id, time, counted === undefined ? usage : beyond(usage, counted))
  }

  #give(role: Message['role'], time: Time): void {
    if (isConversation({ role })) this.messageCount++
    this.#time = time ?? this.#time
  }

  #count(id: string, time: string | null, usage: Usage): void {
    if (time === null) this.#noteTime()
    this.#time = null
    this.#usage.add({ id, time, usage })
  }

  /** Only the last of the times before matters. */
  #noteTime(): void {
    const time = asTime(this.#time)
    if (time !== undefined) this.#usage.add({ id: '', time })
  }
}
