// rethread archive --watch
import type { Context } from '../catalog/context.ts'
import { type Invocation, isOn } from './command.ts'
import { EXIT, type ExitStatus } from './exit-status.ts'
import { onInterrupt } from './interrupt.ts'
import { plural } from './print/words.ts'

export async function watchUntilStopped(invocation: Invocation, context: Context): Promise<ExitStatus> {
  const { output, isJson } = invocation
  const isQuiet = isOn(invocation, 'quiet')
  const { watchArchive } = await import('../catalog/watch-archive.ts')
  const { cleanLine } = await import('./print/clean.ts')
  const report = (text: string): void => output.remark(cleanLine(text))
  let wasFull = false
  const watching = watchArchive(context, {
    onStandBy: pid => report(`Process ${pid ?? 'unknown'} keeps the archive up to date. Waiting to take over.`),
    onStart: () => report(`Archiving to ${context.archive}. Stop with Ctrl-C.`),
    onPass(result) {
      if (isJson) return
      if (result.isFull === true && !wasFull) report('The archive is full: see rethread archive status')
      wasFull = result.isFull === true
      if (result.copied > 0 && !isQuiet) report(`${plural(result.copied, 'session')} copied.`)
      for (const { sessionId } of result.deleted) report(`${sessionId} was deleted; it stays in the archive.`)
      for (const { sessionId, messages } of result.shrunk)
        report(
          `${sessionId} was rewritten${messages === undefined ? '' : ` (${messages.before} messages before, ${messages.after} now)`}.`,
        )
    },
    onFailure: error => report(error.message),
  })
  await new Promise<void>(resolve => {
    onInterrupt(resolve)
    process.once('SIGTERM', () => resolve())
  })
  await watching.stop()
  return EXIT.fine
}
