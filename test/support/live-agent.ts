// A process that writes a session as an agent does: it opens the log for each piece alone, and notices at once if anybody else changed what stands there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { put } from './home.ts'

export interface LiveAgentOptions {
  home: string
  file: string
  /** What it appends, one piece at a time; after the last one it stays as it is. */
  pieces: readonly string[]
  /** Between two pieces; over and over where it never ends. */
  everyMs?: number
  isEndless?: boolean
  /** By which its process is known; the writer is no agent's without it. */
  name?: string
  folder?: string
}

export interface LiveAgent {
  /** The next line it says: `wrote 3`, or `altered`. */
  heard(): Promise<string>
  /** All it has said. */
  said: string[]
  /** As by a crash: with SIGKILL. */
  kill(): Promise<void>
}

const SCRIPT = `
import { appendFileSync, readFileSync } from 'node:fs'
const { file, pieces, everyMs, isEndless } = JSON.parse(process.argv[2])
let known = readFileSync(file)
const say = line => process.stdout.write(line + '\\n')
const write = count => {
  const piece = pieces[count % pieces.length]
  if (count >= pieces.length && !isEndless) return
  if (!readFileSync(file).equals(known)) return say('altered')
  appendFileSync(file, piece)
  known = Buffer.concat([known, Buffer.from(piece)])
  say('wrote ' + (count + 1))
  setTimeout(write, everyMs, count + 1)
}
write(0)
setInterval(() => {}, 1000)
`

export function startLiveAgent({ home, file, pieces, name, folder = home, ...how }: LiveAgentOptions): LiveAgent {
  const script = put(home, `live/${name ?? 'some-writer'}/main.mjs`, SCRIPT)
  const child = spawn(process.execPath, [script, JSON.stringify({ everyMs: 200, ...how, file, pieces })], {
    cwd: folder,
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  let asked = 0
  let wake = Promise.withResolvers<void>()
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    said.push(...lines)
    wake.resolve()
    wake = Promise.withResolvers()
  })
  const exit = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exit
  }
  onTestFinished(kill)
  return {
    said,
    kill,
    async heard() {
      while (said.length <= asked) await wake.promise
      return said[asked++] ?? ''
    },
  }
}
