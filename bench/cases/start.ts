// How long a person waits for anything at all.
import { mediansOf, timeOnce } from '../measure/processes.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import type { Benchmark } from './benchmark.ts'

const MAX_RATIO = 1.8
const ROUNDS = 15

export const start: Benchmark = {
  name: 'start',
  *run({ program }) {
    const [ours = 0, bare = 0] = mediansOf(ROUNDS, [
      () => timeOnce(program.run('--help')),
      () => timeOnce({ file: process.execPath, args: ['--eval', ''] }),
    ])
    yield {
      name: 'start of rethread --help',
      measured: formatMs(ours),
      against: `node --eval '' ${formatMs(bare)}`,
      ratio: formatRatio(ours / bare),
      target: `≤ ${MAX_RATIO} × an empty Node`,
      isMet: ours / bare <= MAX_RATIO,
    }
  },
}
