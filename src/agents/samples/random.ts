// Repeatable random numbers: the same seed gives the same sessions, byte for byte, on every machine.

export class Random {
  readonly #state: Uint32Array

  constructor(seed: string | number) {
    this.#state = hashOf(String(seed))
    // The first numbers still resemble the seed.
    for (let i = 0; i < 12; i++) this.next()
  }

  /** Another that continues with the same numbers. */
  copy(): Random {
    const copy = new Random('')
    copy.#state.set(this.#state)
    return copy
  }

  /** From 0 up to but not including 1 (the generator is sfc32). */
  next(): number {
    const state = this.#state
    const [a = 0, b = 0, c = 0, counter = 0] = state
    const sum = (a + b + counter) >>> 0
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + sum
    state[3] = counter + 1
    return sum / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** The distribution of message and file sizes: half below the median, a few very large. */
  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next())
    return median * Math.exp(sigma * normal)
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits)
      text += this.below(2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, digits)
  }

  uuid(): string {
    const hex = this.hex(31)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`
  }

  letters(count: number): string {
    return Array.from({ length: count }, () => LETTERS[this.below(LETTERS.length)]).join('')
  }
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Four words of 32 bits from any text (FNV-1a with a different start for each). */
function hashOf(text: string): Uint32Array {
  return Uint32Array.from([0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b], start => {
    let hash = start
    for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    return hash >>> 0
  })
}
