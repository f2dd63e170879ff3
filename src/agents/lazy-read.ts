// A store's `read` that is loaded when a session is read for the first
// time: most commands read none of most stores.
import type { Message } from '../model/message.ts'
import type { Reading, ReadingEnd } from '../model/reading.ts'
import type { Store } from './store.ts'

type Read = Store['read']
type Step = Promise<IteratorResult<Message, ReadingEnd>>

export function lazyRead(load: () => Promise<Read>): Read {
  let loaded: Read | undefined
  return (session, options) => {
    if (loaded !== undefined) return loaded(session, options)
    return new LazyReading(async () => {
      loaded ??= await load()
      return loaded(session, options)
    })
  }
}

/** Passes every call on, without a promise of its own for each message. */
class LazyReading implements Reading {
  readonly #open: () => Promise<Reading>
  #opening: Promise<Reading> | undefined
  #reading: Reading | undefined

  constructor(open: () => Promise<Reading>) {
    this.#open = open
  }

  next(): Step {
    return this.#reading === undefined ? this.#opened().then(reading => reading.next()) : this.#reading.next()
  }

  return(value: ReadingEnd | PromiseLike<ReadingEnd>): Step {
    return this.#opened().then(reading => reading.return(value))
  }

  throw(error: unknown): Step {
    return this.#opened().then(reading => reading.throw(error))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opened())[Symbol.asyncDispose]()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #opened(): Promise<Reading> {
    this.#opening ??= this.#open().then(reading => {
      this.#reading = reading
      return reading
    })
    return this.#opening
  }
}
