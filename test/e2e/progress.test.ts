// The bar in a real pseudo-terminal: never wider than it, in the characters that it has, and gone without a trace.
import { expect, test } from 'vitest'
import { temporaryHome } from '../support/home.ts'
import { testProgram } from '../support/package.ts'
import { runInTerminal } from '../support/pty.ts'

const PROGRAM = testProgram('progress-program')
const ERASE = '\r\u001b[J'

async function framesIn(columns: number, env: Record<string, string>): Promise<{ frames: string[]; rest: string }> {
  const screen = runInTerminal(process.execPath, [PROGRAM], { folder: temporaryHome(), columns, env })
  expect(await screen.ended).toBe(0)
  const [before, ...frames] = screen.raw().split(ERASE)
  return { frames, rest: `${before}${frames.pop() ?? ''}` }
}

test.each([
  [20, { LC_ALL: 'C.UTF-8' }, /^Examining 5,000\/5,0$|^Examining +\d/],
  [40, { LC_ALL: 'C.UTF-8' }, /^Examining [█░]{6,} [ \d,]+( of |\/)5,000( · \d+ s left)?$/],
  [120, { LC_ALL: 'C.UTF-8' }, /^Examining [█░]{24} [ \d,]+ of 5,000 conversations( · \d+ s left)?$/],
  [120, { LC_ALL: 'C' }, /^Examining \[#*-*\] [ \d,]+ of 5,000 conversations(, \d+ s left)?$/],
])('in %d columns with %j', async (columns, env, examining) => {
  const { frames, rest } = await framesIn(columns, env)
  expect(frames.length).toBeGreaterThan(3)
  expect(frames.filter(frame => frame.length >= columns)).toEqual([])
  const first = frames.filter(frame => frame.startsWith('Examining'))
  expect(first.filter(frame => !examining.test(frame))).toEqual([])
  expect(frames.at(-1)).toMatch(/^Repairing .*\b4/)
  expect(rest).toBe('finished\r\n')
})

test('a dumb terminal gets nothing', async () => {
  expect(await framesIn(80, { TERM: 'dumb' })).toEqual({ frames: [], rest: 'finished\r\n' })
})
