// Prints the messages of a large session as JSON with two threads: both render one part after the other, and the parts
// are printed in their order. Those of the other thread, and a part that follows one of them, wait in memory.
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type {
  PartEnd,
  PartPlan,
  PartSizes,
  PlannedFile,
  PlannedPart,
  StoreParts,
  TrueState,
} from '../../agents/parts.ts'
import { storeOf } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { agentOf, keepReading, type LastGoodRecorder } from '../../catalog/reading.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { addPart, claimPart, endClaims, freePlace, makeClaims } from '../../repair/scan/part-claims.ts'
import { ThreadPool, workerFile } from '../../threads/pool.ts'
import type { JsonWriter } from './json-writer.ts'
import type { RenderCalls, RenderOrder } from './render-worker.ts'
import type { RenderedPart } from './rendered-part.ts'
import { makePartMemory, messageText, printedText, renderPart, SEPARATOR } from './rendered-part.ts'
import { makeRoom } from './tune-threads.ts'

/** Below this, starting a thread takes longer than it saves. */
const WORTH_BYTES = 16 * 1024 * 1024
/** The other thread can be so many parts ahead, and this one too. */
const PLACES = 3
const OWN_PLACES = 2
/** As in other threads that read: with less room for young objects, they would be collected too often. */
const MEMORY = { maxYoungGenerationSizeMb: 16 }

export interface PrintedParts {
  messages: number
  /** The last of them, as it was printed. */
  last: Buffer
  /** Undefined if the rest has to be read in one: what was printed is the beginning of that. */
  end: ReadingEnd | undefined
}

export type PrintParts = (writer: JsonWriter) => Promise<PrintedParts>

/** Undefined if the session has to be read in one. */
export async function planParts(
  context: Context,
  session: SessionRef,
  { worth, sizes }: { worth: number; sizes?: PartSizes } = { worth: WORTH_BYTES },
): Promise<PrintParts | undefined> {
  if (session.archived !== undefined || session.fileSize < worth || availableParallelism() < 2) return undefined
  const load = storeOf(agentOf(context, session), session).parts
  if (load === undefined) return undefined
  const keeper = keepReading(context, session)
  const other = new OtherThread(session, keeper !== undefined)
  let planned: { parts: StoreParts; plan: PartPlan } | undefined
  try {
    const parts = await load()
    const plan = parts.plan(session, sizes, (part, file) => other.add(part, file))
    if (plan !== undefined) planned = { parts, plan }
  } finally {
    if (planned === undefined) other.close()
  }
  if (planned === undefined) return undefined
  const { parts, plan } = planned
  other.endPlan()
  return async writer => {
    try {
      const printed = await new PartPrinter(parts, session, plan, { writer, other, keeper }).print()
      if (printed.end !== undefined) keeper?.commit(printed.end)
      return printed
    } finally {
      keeper?.abandon()
    }
  }
}

function startThread(): ThreadPool<RenderCalls> {
  makeRoom()
  return new ThreadPool<RenderCalls>({
    file: workerFile(import.meta.url, 'render-worker'),
    size: 1,
    memory: MEMORY,
    graceMs: 0,
    died: (_, cause) => rendererDied(cause),
  })
}

/** Renders parts from the moment they are cut. It starts before the first one, and in vain where nothing is cut. */
class OtherThread {
  readonly claims = makeClaims(0, PLACES)
  readonly waiting = new Map<number, WaitingPart>()
  /** It will send nothing more: it has finished or failed. */
  hasEnded = false
  onMore = (): void => {}
  readonly #threads = startThread()

  constructor(session: SessionRef, isKept: boolean) {
    const memory = Array.from({ length: PLACES }, makePartMemory)
    const order: RenderOrder = { session, isKept, claims: this.claims, memory }
    const end = (): void => {
      this.hasEnded = true
      this.onMore()
    }
    this.#threads
      .call('render', order, {
        onProgress: ({ number, place, rendered }) => {
          const memory = order.memory[place]
          const free = (): void => freePlace(this.claims, place)
          if (memory !== undefined) this.waiting.set(number, { rendered, memory, free })
          this.onMore()
        },
      })
      // What it could not render is rendered here, which reports what is wrong.
      .then(end, end)
  }

  add(part: PlannedPart, file: PlannedFile): void {
    this.#threads.notify('add', { part, file })
    addPart(this.claims)
  }

  endPlan(): void {
    this.#threads.notify('planned', undefined)
  }

  close(): void {
    endClaims(this.claims)
    void this.#threads.close()
  }
}

interface PrintTools {
  writer: JsonWriter
  other: OtherThread
  keeper: LastGoodRecorder | undefined
}

class PartPrinter {
  readonly #parts: StoreParts
  readonly #session: SessionRef
  readonly #plan: PartPlan
  readonly #writer: JsonWriter
  readonly #other: OtherThread
  readonly #keeper: LastGoodRecorder | undefined
  readonly #own = Array.from({ length: OWN_PLACES }, makePartMemory)
  #messages = 0
  #last: Buffer = Buffer.alloc(0)

  constructor(parts: StoreParts, session: SessionRef, plan: PartPlan, { writer, other, keeper }: PrintTools) {
    this.#other = other
    this.#keeper = keeper
    this.#parts = parts
    this.#session = session
    this.#plan = plan
    this.#writer = writer
  }

  async print(): Promise<PrintedParts> {
    const { parts } = this.#plan
    const { waiting } = this.#other
    const joiner = this.#parts.join(this.#session, this.#plan)
    try {
      for (let next = 0; next < parts.length; ) {
        // Lets arrive what the other thread sent.
        await setImmediate()
        const part = waiting.get(next)
        if (part === undefined && (await this.#renderAhead(next))) continue
        const rendered = part?.rendered
        const isRight = part !== undefined && rendered !== undefined && joiner.accepts(rendered.end)
        const end = isRight ? await this.#write(rendered, part.memory) : await this.#renderNow(next, joiner.state())
        waiting.delete(next)
        part?.free()
        if (end === undefined || !joiner.add(end)) return this.#printed(undefined)
        next++
      }
      return this.#printed(joiner.end())
    } finally {
      joiner.close()
      this.#parts.close?.(this.#plan)
      this.#other.close()
    }
  }

  /** Does what is possible while the part with this number is not there. False if it has to be rendered now. */
  async #renderAhead(next: number): Promise<boolean> {
    const { claims, waiting } = this.#other
    const memory = this.#own.pop()
    const claimed = memory === undefined ? undefined : claimPart(claims)
    if (memory !== undefined && claimed !== undefined) {
      const isKept = this.#keeper !== undefined
      const rendered = renderPart(this.#parts, this.#session, this.#plan, claimed, { memory, isKept })
      waiting.set(claimed, { rendered, memory, free: () => void this.#own.push(memory) })
      return true
    }
    if (memory !== undefined) this.#own.push(memory)
    if (this.#other.hasEnded) return false
    await new Promise<void>(resolve => (this.#other.onMore = resolve))
    return !this.#other.hasEnded || waiting.has(next)
  }

  async #write(rendered: RenderedPart, memory: SharedArrayBuffer): Promise<PartEnd> {
    const bytes = Buffer.from(memory, 0, rendered.bytes)
    await this.#writer.addSafe(bytes, this.#messages > 0 && rendered.messages > 0 ? SEPARATOR : '')
    this.#keeper?.addPrinted(bytes)
    this.#messages += rendered.messages
    if (rendered.messages > 0) this.#last = lastMessageIn(bytes)
    return rendered.end
  }

  async #renderNow(number: number, from: TrueState): Promise<PartEnd | undefined> {
    const reading = this.#parts.read(this.#session, this.#plan, number, from)
    let step = reading.next()
    let last: string | undefined
    for (; !step.done; step = reading.next()) {
      this.#keeper?.add(step.value)
      last = messageText(step.value)
      await this.#writer.add(last, this.#messages++ > 0 ? SEPARATOR : '')
    }
    if (last !== undefined) this.#last = printedText(last)
    return step.value
  }

  #printed(end: ReadingEnd | undefined): PrintedParts {
    return { messages: this.#messages, last: this.#last, end }
  }
}

/** A copy. What separates two messages is in none of them: JSON has no raw newlines. */
function lastMessageIn(printed: Buffer): Buffer {
  const before = printed.lastIndexOf(SEPARATOR)
  return Buffer.from(printed.subarray(before === -1 ? 0 : before + SEPARATOR.length))
}

interface WaitingPart {
  /** Undefined if it has to be rendered when it is its turn. */
  rendered: RenderedPart | undefined
  memory: SharedArrayBuffer
  /** Its memory is no longer needed. */
  free(): void
}

function rendererDied(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `A thread that rendered messages failed: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Run the command again with --log-level debug and report what the log says.',
    cause,
  })
}
