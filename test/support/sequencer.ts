// The order of the test files: those that take longest first, so that at the end no worker waits for another. A fresh
// clone has no times of an earlier run to go by.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those with many tests in one browser, then all that start browsers and processes; in this order. */
const LONGEST = ['test/browser/demo', 'test/browser/', 'test/faults/', 'test/e2e/', 'test/server/', 'test/']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const path = relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')
      const rank = LONGEST.findIndex(start => path.startsWith(start))
      return rank === -1 ? LONGEST.length : rank
    }
    return bySize.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
