// One after the other for each name, so that what is looked at first still holds when it is acted upon.

export class Locks {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(task, task)
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name)
      })
    this.#last.set(name, settled)
    return await done
  }
}
