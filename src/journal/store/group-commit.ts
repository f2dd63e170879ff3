// Commits all waiting writes in one transaction. A single write is committed at once. Writes that arrive
// during a commit go into the next one.
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface GroupCommitOptions<Transaction> {
  /** Resolves when the writes of `work` are committed. Rejects when none of them is. */
  transact(work: (transaction: Transaction) => Promise<void>): Promise<void>
  /** Whether the error would hit every write of the transaction, such as a full disk. */
  affectsAllWrites(error: unknown): boolean
  /** The error for a write beyond the limit. */
  overloaded(): Error
  limits?: Partial<CommitLimits>
}

export interface CommitLimits {
  batchWrites: number
  batchBytes: number
  waitingBytes: number
  /** How long commits may run in a row before other tasks of the process get a turn. */
  maxTurnMs: number
}

const LIMITS: CommitLimits = {
  batchWrites: 2000,
  batchBytes: 8 * 1024 * 1024,
  waitingBytes: 512 * 1024 * 1024,
  maxTurnMs: 5,
}

interface Write<Transaction> {
  bytes: number
  /** May run again if another write of the same transaction failed. */
  work(transaction: Transaction): Promise<void>
  settle(error?: unknown): void
}

export class GroupCommit<Transaction> {
  readonly #options: GroupCommitOptions<Transaction>
  readonly #limits: CommitLimits
  #waiting: Write<Transaction>[] = []
  #waitingBytes = 0
  #running: Promise<void> | undefined
  #turnBegan: number | undefined

  constructor(options: GroupCommitOptions<Transaction>) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
  }

  async run<T>(bytes: number, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { waitingBytes } = this.#limits
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes > waitingBytes) throw this.#options.overloaded()
    this.#waitingBytes += bytes
    return await new Promise((resolve, reject) => {
      let result: { value: T } | undefined
      this.#waiting.push({
        bytes,
        work: async transaction => {
          result = { value: await work(transaction) }
        },
        settle: error => (result === undefined || error !== undefined ? reject(error) : resolve(result.value)),
      })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when no write is waiting. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #drain(): Promise<void> {
    // Includes the writes of the same tick.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#yieldTurn()
      await this.#commit(this.#take())
    }
    this.#running = undefined
  }

  #take(): Write<Transaction>[] {
    const { batchWrites, batchBytes } = this.#limits
    let bytes = 0
    const beyond = this.#waiting.findIndex((write, index) => {
      bytes += write.bytes
      return index > 0 && (index >= batchWrites || bytes > batchBytes)
    })
    const batch = this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond)
    for (const write of batch) this.#waitingBytes -= write.bytes
    return batch
  }

  async #commit(batch: Write<Transaction>[]): Promise<void> {
    let left = batch
    while (left.length > 0) {
      let culprit: Write<Transaction> | undefined
      try {
        await this.#options.transact(async transaction => {
          for (const write of left) {
            culprit = write
            await write.work(transaction)
          }
          culprit = undefined
        })
        for (const write of left) write.settle()
        return
      } catch (error) {
        // The transaction was rolled back. Only the write that caused the error fails.
        const failed = culprit
        const isOfOne = failed !== undefined && !this.#options.affectsAllWrites(error)
        for (const write of isOfOne ? [failed] : left) write.settle(error)
        left = isOfOne ? left.filter(write => write !== failed) : []
      }
    }
  }

  /** Commits in a row would otherwise block the process. */
  async #yieldTurn(): Promise<void> {
    if (this.#turnBegan === undefined) {
      this.#turnBegan = performance.now()
      setImmediate(() => {
        this.#turnBegan = undefined
      })
    } else if (performance.now() - this.#turnBegan > this.#limits.maxTurnMs) await nextTurn()
  }
}
