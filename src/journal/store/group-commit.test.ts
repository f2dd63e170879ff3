import { expect, test } from 'vitest'
import { type CommitLimits, GroupCommit } from './group-commit.ts'

test('what arrives while a commit is running goes into the next one together', async () => {
  const { line, commits, finishCommit } = makeLine()
  const first = line.run(1, async () => 'a')
  await commits.begun(1)
  const others = ['b', 'c', 'd'].map(name => line.run(1, async () => name))
  finishCommit()
  expect(await first).toBe('a')
  await commits.begun(2)
  finishCommit()
  expect(await Promise.all(others)).toEqual(['b', 'c', 'd'])
  expect(commits.sizes).toEqual([1, 3])
})

test('a lone write is committed before the event loop takes its next turn', async () => {
  const { line, commits, finishCommit } = makeLine()
  const written = line.run(1, async () => 1)
  let isNextTurn = false
  setImmediate(() => {
    isNextTurn = true
  })
  for (let step = 0; step < 20; step++) await Promise.resolve()
  expect(commits.sizes).toEqual([1])
  expect(isNextTurn).toBe(false)
  await commits.begun(1)
  await new Promise(resolve => setImmediate(resolve))
  finishCommit()
  await written
})

test('writes that are awaited one after the other leave everything else its turn', async () => {
  const line = makeOpenLine({ maxTurnMs: 0 })
  let isDone = false
  const timer = setTimeout(() => {
    isDone = true
  })
  // Far more writes than a millisecond has room for: without a turn in between, the timer would never fire.
  let writes = 0
  while (!isDone && writes < 1_000_000) {
    await line.run(1, async () => 1)
    writes++
  }
  clearTimeout(timer)
  expect(isDone).toBe(true)
})

test('a commit has its limits, and the order stays', async () => {
  const written: number[] = []
  const sizes: number[] = []
  const line = makeOpenLine({ batchWrites: 4, batchBytes: 100 }, sizes)
  const bytes = [1, 1, 1, 1, 1, 200, 60, 60, 1]
  await Promise.all(bytes.map((size, n) => line.run(size, async () => written.push(n))))
  expect(written).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(sizes).toEqual([4, 1, 1, 1, 2])
})

test('a write beyond the limit is refused, and the waiting ones are not affected', async () => {
  const { line, commits, finishCommit } = makeLine({ waitingBytes: 10 })
  const first = line.run(8, async () => 1)
  await commits.begun(1)
  const second = line.run(8, async () => 2)
  await expect(line.run(8, async () => 3)).rejects.toThrow('too much')
  finishCommit()
  await first
  await commits.begun(2)
  finishCommit()
  expect(await second).toBe(2)
})

test('the fault of one is not the fault of those beside it', async () => {
  const line = makeOpenLine()
  const bad = async () => await Promise.reject(new Error('mine'))
  const outcomes = await Promise.allSettled([line.run(1, async () => 1), line.run(1, bad), line.run(1, async () => 3)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('what concerns all fails all, once', async () => {
  const sizes: number[] = []
  const line = makeOpenLine({}, sizes)
  const full = async () => await Promise.reject(new Error('full'))
  const outcomes = await Promise.allSettled([line.run(1, async () => 1), line.run(1, full), line.run(1, async () => 3)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(sizes).toEqual([2])
  expect(await line.run(1, async () => 4)).toBe(4)
})

const common = {
  affectsAllWrites: (error: unknown) => error instanceof Error && error.message === 'full',
  overloaded: () => new Error('too much'),
}

type Line = Pick<GroupCommit<null>, 'run'>

/** Commits at once. `sizes` gets the number of writes of each commit. */
function makeOpenLine(limits: Partial<CommitLimits> = {}, sizes: number[] = []): Line {
  const transact = async (work: (transaction: null) => Promise<void>) => {
    sizes.push(0)
    await work(null)
  }
  return countInto(sizes, new GroupCommit<null>({ ...common, limits, transact }))
}

function countInto(sizes: number[], line: Line): Line {
  return {
    run: async (bytes, work) =>
      await line.run(bytes, async () => {
        sizes.push((sizes.pop() ?? 0) + 1)
        return await work(null)
      }),
  }
}

/** Commits end when the test says so. */
function makeLine(limits: Partial<CommitLimits> = {}) {
  const sizes: number[] = []
  let finish = (): void => undefined
  const line = new GroupCommit<null>({
    ...common,
    limits,
    async transact(work) {
      sizes.push(0)
      await work(null)
      await new Promise<void>(resolve => {
        finish = resolve
      })
    },
  })
  const commits = {
    sizes,
    async begun(count: number): Promise<void> {
      do await new Promise(resolve => setImmediate(resolve))
      while (sizes.length < count || sizes.at(-1) === 0)
    },
  }
  return { line: countInto(sizes, line), commits, finishCommit: () => finish() }
}
