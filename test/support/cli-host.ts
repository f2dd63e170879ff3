// Runs one command line after the other, each as in a process of its own: what it prints is collected, and nothing is
// left to the next but the modules.
import { Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/run-command-line.ts'

export interface HostOrder {
  args: string[]
  env: Record<string, string | undefined>
}

process.on('message', ({ args, env }: HostOrder) => {
  process.env = { ...env }
  const [stdout, stderr] = [collectAs('stdout'), collectAs('stderr')]
  void runCommandLine(args, undefined).then(status => process.send?.({ status, stdout: stdout(), stderr: stderr() }))
})

process.on('disconnect', () => process.exit())

/** Returns what was printed so far. */
function collectAs(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = []
  const value = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  Object.defineProperty(process, name, { value, configurable: true })
  return () => Buffer.concat(chunks).toString('utf8')
}
