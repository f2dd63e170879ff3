// The pages of a session from its end towards its beginning, one at a time: whoever reads stops when it is enough.
import type { EventPage, JournalStore } from '../../store/store.ts'

/** The first page is small: most of what is wanted is at the end. */
const FIRST_PAGE = 200
const MAX_PAGE = 1000

/** `upTo`: the last event that is looked at; the last there is, where it is not given. */
export async function* readBackwards(
  store: JournalStore,
  sessionId: string,
  upTo = Number.MAX_SAFE_INTEGER - 1,
): AsyncGenerator<EventPage> {
  let before = Math.max(0, upTo) + 1
  for (let limit = FIRST_PAGE; before > 1; limit = Math.min(MAX_PAGE, limit * 2)) {
    const page = await store.page(sessionId, { before, limit })
    yield page
    if (page.firstSeq >= before || page.lastSeq < page.firstSeq) return
    before = page.firstSeq
  }
}
