// The messages of a session without their words, for its summary. Only a log without damage and branches is skimmed:
// the kernel of the scanner proves every line, and lines that say something about the session are parsed.
import { endOfContainer, parseObject } from '../../../bytes/json.ts'
import { KERNEL_CHUNK_BYTES } from '../../../bytes/scanner/kernel.ts'
import type { OpenFile } from '../../../disk/files/read.ts'
import { openFile } from '../../../disk/files/read.ts'
import type { Message } from '../../../model/message.ts'
import type { SessionFacts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Usage } from '../../../model/usage.ts'
import type { SkimmedMessage } from '../../store.ts'
import type { ProvedLine } from '../../stores/prove-lines.ts'
import { proveLines } from '../../stores/prove-lines.ts'
import { asTime } from '../../stores/values.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteFacts, noteTime } from './facts.ts'
import { LinearLines } from './linear.ts'
import { MessageJoiner } from './message-joiner.ts'
import { interpret } from './messages.ts'
import type { LinePlan } from './skim-plan.ts'
import { FIELDS, planOf } from './skim-plan.ts'
import { usageOf } from './usage.ts'

/** Undefined for a session that has to be read; what was given then says nothing. */
export function skim(session: SessionRef, onMessage: (message: SkimmedMessage) => void): SessionFacts | undefined {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    if (file.identity.size > MAX_BYTES) return undefined
    return new Skimmer(file, onMessage).run()
  } finally {
    file.close()
  }
}

/** A longer log is read step by step, so that an interrupt is noticed. */
const MAX_BYTES = 64 * 1024 * 1024
const USAGE = Buffer.from('"usage":{')

class Skimmer {
  readonly #file: OpenFile
  readonly #onMessage: (message: SkimmedMessage) => void
  readonly #notes: FactNotes = { summaries: {} }
  readonly #joiner = new MessageJoiner(undefined)
  readonly #lines = new LinearLines()
  /** Whether lines stay where they are until the last one is read. */
  readonly #isAtOnce: boolean

  constructor(file: OpenFile, onMessage: (message: SkimmedMessage) => void) {
    this.#file = file
    this.#onMessage = onMessage
    this.#isAtOnce = file.identity.size <= KERNEL_CHUNK_BYTES
  }

  run(): SessionFacts | undefined {
    if (!proveLines(this.#file, FIELDS, line => this.#add(line))) return undefined
    for (const message of this.#joiner.flush()) this.#onMessage(message)
    return factsFrom(this.#notes, () => false)
  }

  /** False for a line that may begin a branch. */
  #add(line: ProvedLine): boolean {
    const bytes = line.bytes()
    if (!this.#lines.add(this.#isAtOnce ? bytes : Buffer.from(bytes))) return false
    const plan = planOf(line.shape)
    const usage = plan?.hasUsage === true ? usageIn(bytes) : undefined
    if (plan === undefined || plan.isToldBy(this.#notes) || (plan.hasUsage && usage === undefined))
      return this.#addParsed(line, bytes)
    const time = plan.time === undefined ? undefined : line.text(plan.time)
    this.#notes.version = plan.version ?? this.#notes.version
    this.#notes.model = plan.model ?? this.#notes.model
    if (time !== undefined) noteTime(this.#notes, time)
    if (plan.role !== undefined) this.#give(skeletonOf(plan.role, plan, line, time, usage), groupOf(plan, line))
    return true
  }

  #addParsed(line: ProvedLine, bytes: Buffer): boolean {
    const value = parseObject(bytes)
    if (value === undefined) return false
    noteFacts(this.#notes, value)
    const at = { file: this.#file.path, start: line.start, end: line.end }
    const interpreted = interpret({ value, bytes, at })
    if (interpreted.type !== 'bookkeeping')
      this.#give(interpreted.message, interpreted.type === 'message' ? interpreted.group : undefined)
    return true
  }

  #give(message: Message, group: string | undefined): void {
    for (const ready of this.#joiner.add(message, group)) this.#onMessage(ready)
  }
}

function skeletonOf(
  role: Message['role'],
  plan: LinePlan,
  { text, start, end }: ProvedLine,
  time: string | undefined,
  usage: Usage | undefined,
): Message {
  const id = plan.id === undefined ? `@${start}` : text(plan.id)
  const message: Message = { id, role, time: asTime(time) ?? null, parts: [], at: { file: '', start, end } }
  if (usage !== undefined) message.usage = usage
  return message
}

function groupOf({ group }: LinePlan, { text }: ProvedLine): string | undefined {
  return group === undefined ? undefined : text(group)
}

/** Undefined unless one field alone has this name. In a text, a backslash precedes the quotes. */
function usageIn(bytes: Buffer): Usage | undefined {
  const at = bytes.lastIndexOf(USAGE)
  if (at === -1 || bytes.indexOf(USAGE) !== at) return undefined
  const start = at + USAGE.length - 1
  return usageOf(parseObject(bytes.subarray(start, endOfContainer(bytes, start))), undefined)
}
