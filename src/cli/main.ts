// The entry point: runs one command and sets the exit status. Elsewhere only a second Ctrl-C
// (serve-until-stopped.ts) and an interrupt of a command that does not handle it (interrupt.ts) end the process.
import { silenceSqliteWarning } from '../threads/warnings.ts'
import { EXIT } from './exit-status.ts'
import { listenForInterrupts } from './interrupt.ts'
import { isStderrWritten, watchStderr } from './print/stderr.ts'
import { runCommandLine } from './run-command-line.ts'
import { takeToken } from './token.ts'

const token = takeToken()
silenceSqliteWarning()
watchStderr()
process.stdout.on('error', exitOnClosedPipe)
listenForInterrupts()
process.exitCode = await runCommandLine(process.argv.slice(2), token)
// At once: Node would first free all memory, which the system does faster.
if (process.stdout.writableLength === 0 && isStderrWritten()) process.exit()

/** `rethread list | head`: the reader closed the pipe, which is not an error. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.fine)
}
