// Shows that a session is being written, and counts down until it is checked again. In a terminal one line is
// redrawn; otherwise one remark is printed.
import type { Countdown } from '../../repair/when-quiet.ts'
import { cleanLine } from './clean.ts'
import type { Output } from './output.ts'
import { plural } from './words.ts'

export interface CountdownLine {
  show(countdown: Countdown): void
  clear(): void
}

export function makeCountdownLine(output: Output, stream: NodeJS.WriteStream, title: string): CountdownLine {
  const isDrawn = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  let isShown = false
  /** The reason is printed once, above the line. */
  let isSaid = false
  return {
    show({ reason, secondsLeft }) {
      if (!isSaid) {
        output.remark(`${output.style('warn', '…')} ${cleanLine(reason.text)}`)
        if (!isDrawn) output.remark(waiting(title, secondsLeft))
        isSaid = true
      }
      if (!isDrawn) return
      stream.write(`${ERASE}${waiting(title, secondsLeft)}`)
      isShown = true
    },
    clear() {
      if (isShown) stream.write(ERASE)
      isShown = false
    },
  }
}

const ERASE = '\r\u001b[K'

function waiting(title: string, secondsLeft: number | undefined): string {
  return secondsLeft === undefined
    ? `Waiting until ${title} has finished. Ctrl-C stops waiting.`
    : `Continuing in ${plural(secondsLeft, 'second')} if nothing more is written. Ctrl-C stops waiting.`
}
