// One line on stderr that says how far long work is. Nothing where nobody watches, nothing for work that is over at once.

export interface Progress {
  update(done: number, total: number): void
  clear(): void
}

const SHOWN_AFTER_MS = 300
const EVERY_MS = 100

export function makeProgress(stream: NodeJS.WriteStream, label: string): Progress {
  const started = performance.now()
  let last = 0
  let isShown = false
  const clear = (): void => {
    if (isShown) stream.write('\r\u001b[K')
    isShown = false
  }
  return {
    clear,
    update(done, total) {
      const now = performance.now()
      if (stream.isTTY !== true || process.env['TERM'] === 'dumb') return
      if (now - started < SHOWN_AFTER_MS || now - last < EVERY_MS) return
      last = now
      isShown = true
      const left = done === 0 ? '' : `, ${Math.ceil((((now - started) / done) * (total - done)) / 1000)} s left`
      stream.write(`\r\u001b[K${label} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${left}`)
    },
  }
}
