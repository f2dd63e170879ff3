import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { describeStore } from '../../../test/support/journal/conformance.ts'
import { openJournal } from './open.ts'

describeStore('a journal in SQLite', () => {
  const path = join(temporaryHome(), 'journal.sqlite')
  return {
    async open(maxPageBytes) {
      const store = await openJournal(path, maxPageBytes === undefined ? {} : { maxPageBytes })
      onTestFinished(async () => await store.close())
      return store
    },
  }
})
