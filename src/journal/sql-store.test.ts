import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { describeStore } from './conformance.ts'
import { openJournal } from './open.ts'

for (const synchronous of ['normal', 'full'] as const)
  describeStore(`a journal in SQLite, synchronous ${synchronous}`, () => {
    const path = join(temporaryHome(), 'journal.sqlite')
    return {
      async open(maxPageBytes) {
        const store = await openJournal(path, { synchronous, ...(maxPageBytes === undefined ? {} : { maxPageBytes }) })
        onTestFinished(async () => await store.close())
        return store
      },
    }
  })
