// Ends in the middle of an answer: what it said of it is with the client, and nowhere else.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

const CHUNKS = 3

export const dieMidStream: Fault = {
  name: 'die-mid-stream',
  chunk(firing, sent) {
    if (sent === CHUNKS) die(firing, 'die-mid-stream')
  },
}
