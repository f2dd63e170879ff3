// read: the messages of one conversation, as far as they can be read.
import type { SessionName } from '../catalog/choose-sessions.ts'
import { findByKey } from '../catalog/choose-sessions.ts'
import { makeSessionFinder } from '../catalog/find-one.ts'
import { readSession } from '../catalog/reading.ts'
import type { Message } from '../model/message.ts'
import type { Reading, ReadingEnd } from '../model/reading.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export interface ReadOptions extends Options {
  /** An abandoned branch, or a subagent inside the file: one of the ids in `end.branches`. */
  branch?: string
}

/**
 * Yields the messages of one conversation in order. A message whose id was yielded before has grown and
 * replaces the earlier one. `end` says whether the reading is complete, and what was skipped, where and why.
 * Leaving the loop early closes the file. The first step throws `RethreadError` where nothing can be read:
 * `session-not-found`, `ambiguous-session`, `permission-denied`… Wrong arguments throw at once, with the code
 * `usage`.
 */
export function read(session: SessionName, options: ReadOptions = {}): SessionReading {
  const name = parseArgument(SCHEMAS.sessionName, session, 'read(session)')
  return new SessionReading(readNamed(name, parseArgument(SCHEMAS.read, options, 'read(session, options)')))
}

async function* readNamed(name: SessionName, { branch, ...where }: ReadOptions): Reading {
  const context = openContext(where)
  const finder = await makeSessionFinder(context)
  const session = typeof name === 'string' ? finder.byName(name) : findByKey(finder, name)
  return yield* readSession(context, session, branch === undefined ? {} : { branch })
}

/** Yields messages to `for await`, then sets `end`, which the iterator also returns. Can be read once. */
export class SessionReading implements AsyncIterableIterator<Message, ReadingEnd | undefined, void> {
  readonly #reading: Reading
  #end: ReadingEnd | undefined

  /** Called by `read`. */
  constructor(reading: AsyncGenerator<Message, ReadingEnd, void>) {
    this.#reading = reading
  }

  /**
   * Complete or partial, with all facts known after reading. Undefined before the end, and after leaving
   * early.
   */
  get end(): ReadingEnd | undefined {
    return this.#end
  }

  async next(): Promise<IteratorResult<Message, ReadingEnd | undefined>> {
    const step = await this.#reading.next()
    // A finished generator returns no value on later calls.
    if (step.done === true) this.#end ??= step.value
    return step
  }

  async return(): Promise<IteratorResult<Message, ReadingEnd | undefined>> {
    return await this.#reading.return(undefined as never)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
