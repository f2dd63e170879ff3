// Sends long output in a terminal through $PAGER, as git does: `less` exits at once if all fits on one
// screen.
import { once } from 'node:events'
import { startPager } from '../../disk/processes/start-program.ts'
import type { Output } from './output.ts'

const NO_SUCH_COMMAND = 127

/** Runs `print` with an output that leads into the pager. Without a pager, `print` writes to the terminal. */
export async function throughPager<T>(output: Output, print: (output: Output) => Promise<T>): Promise<T> {
  const command = process.env['PAGER'] ?? 'less'
  if (!output.isTerminal || command === '' || command === 'cat') return await print(output)
  const pager = startPager(command, { LESS: 'FRX', LV: '-c', ...process.env })
  const ended = once(pager, 'close')
  // Leaving the pager early is not a failure. Later output is dropped.
  let isOpen = true
  pager.stdin.on('error', () => {
    isOpen = false
  })
  const write = async (text: string | Buffer): Promise<void> => {
    if (!isOpen || pager.stdin.write(text)) return
    await Promise.race([once(pager.stdin, 'drain'), ended])
  }
  try {
    const result = await print({ ...output, write, writeBytes: bytes => write(Buffer.from(bytes)) })
    pager.stdin.end()
    const [status] = await ended
    // The pager does not exist: print again without it.
    return status === NO_SUCH_COMMAND ? await print(output) : result
  } finally {
    pager.stdin.end()
    await ended
  }
}
