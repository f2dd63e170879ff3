// Searches for a process that runs long: the index stays open, and another one in its place is noticed.
import type { Context } from '../catalog/context.ts'
import { isDamaged, openSearchIndex, removeSearchIndex, type SearchIndex } from '../disk/search/search-index.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { type FoundMessages, findIn, findMessages } from './find.ts'
import type { SearchAnswer, SearchQuery } from './shapes.ts'
import { type UpdateOptions, type UpdateResult, updateIndex } from './update.ts'

export class Searcher {
  readonly #context: Context
  #index: SearchIndex | undefined

  constructor(context: Context) {
    this.#context = context
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.#with(index => findIn(index, this.#context, query))
  }

  /** The messages of one conversation, with what was written to it last. */
  messages(session: SessionRef, query: Pick<SearchQuery, 'text' | 'isTyping'>): Promise<FoundMessages> {
    return this.#with(async index => {
      try {
        await updateIndex(this.#context, index, { only: [session] })
      } catch (error) {
        // What is indexed can be searched all the same.
        if (!(error instanceof RethreadError) || isDamaged(error)) throw error
      }
      return await findMessages(index, this.#context, session, query)
    })
  }

  update(options: UpdateOptions): Promise<UpdateResult> {
    return this.#with(index => updateIndex(this.#context, index, options))
  }

  close(): void {
    this.#index?.close()
    this.#index = undefined
  }

  /** A damaged index is removed and used again, empty. */
  async #with<T>(use: (index: SearchIndex) => Promise<T>): Promise<T> {
    try {
      return await use(this.#current())
    } catch (error) {
      if (!isDamaged(error)) throw error
      this.close()
      removeSearchIndex(this.#context.state)
      return await use(this.#current())
    }
  }

  #current(): SearchIndex {
    if (this.#index?.isCurrent() === false) this.close()
    this.#index ??= openSearchIndex(this.#context.state)
    return this.#index
  }
}
