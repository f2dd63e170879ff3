// Writes what is no message before each answer.
import type { Fault } from './fault.ts'

const HUGE_LINE_BYTES = 1024 * 1024

const GARBAGE = Buffer.concat([
  Buffer.from('Warning: this line is no JSON\n{"jsonrpc":"2.0","method":"session/upd\n\n'),
  Buffer.alloc(HUGE_LINE_BYTES, 'x'),
  Buffer.from('\n[{"jsonrpc":"2.0","method":"session/update"}]\n'),
  Buffer.from('{"jsonrpc":"2.0","id":"never-asked","result":{}}\n'),
  // No text in UTF-8: a lone continuation byte, and two that never occur.
  Buffer.from([0x80, 0xff, 0xfe, 0x0a]),
])

export const garbage: Fault = {
  name: 'garbage',
  beforeAnswer(firing) {
    firing.fire()
    return GARBAGE
  },
}
