// rethread demo
import { join, resolve } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'

export const demoCommand: CommandDefinition = {
  name: 'demo',
  summary: 'Try rethread in the browser with sample conversations, healthy and damaged',
  options: [
    { flags: '--port <number>', description: 'Try this port first (4180)' },
    { flags: '--no-open', description: 'Do not open the browser' },
    { flags: '--keep', description: 'Keep the demo folder when it stops' },
    { flags: '--build-only <dir>', description: 'Create the conversations in this empty folder, as a home, and stop' },
  ],
  help: `All conversations are samples in one temporary folder, which is removed when the demo stops. Your
own files are not touched. Repair, undo and resume as you like: stand-ins run instead of the agents.
One conversation grows while you watch.

Examples:
  rethread demo
  rethread demo --build-only /tmp/library && rethread check --home /tmp/library`,
  async run(invocation) {
    if (textOption(invocation, 'home') !== undefined || textOption(invocation, 'state') !== undefined)
      throw wrong('The demo creates its own home, with the state folder in it.', 'rethread demo')
    const folder = textOption(invocation, 'buildOnly')
    if (folder === undefined) await runDemo(invocation)
    else await buildOnly(invocation, folder)
    return EXIT.fine
  },
}

async function buildOnly(invocation: Invocation, folder: string): Promise<void> {
  const { exists, listFolder } = await import('../../disk/files/read.ts')
  const home = resolve(folder)
  if (exists(home) && listFolder(home).length > 0)
    throw wrong(`${home} is not empty.`, 'Specify a folder that is empty or does not exist yet.')
  const { cleanJson } = await import('../print/clean.ts')
  const { quote } = await import('../../model/paste.ts')
  const { sessions, commands, context } = await build(invocation, home)
  const { output, isJson } = invocation
  // `trouble` is the public name of the field.
  const listed = sessions.map(({ problem, ...session }) => ({ ...session, trouble: problem }))
  if (isJson) await output.write(`${cleanJson({ home, commands, state: context.state, sessions: listed }, 2)}\n`)
  else await output.write(`Open it: rethread serve --home ${quote(home)}\n`)
}

async function runDemo(invocation: Invocation): Promise<void> {
  const { makeSampleFolder, makeSampleHome, removeSampleHome } = await import('../../disk/files/sample-files.ts')
  const home = makeSampleHome()
  const temporary = join(home, 'tmp')
  makeSampleFolder(temporary)
  useTemporaryFolder(temporary)
  const isKept = isOn(invocation, 'keep')
  // Runs on every exit, also on a second Ctrl-C. Only a kill leaves the folder behind.
  const remove = (): void => {
    if (!isKept) removeSampleHome(home)
  }
  process.once('exit', remove)
  try {
    await serveDemo(invocation, home)
  } finally {
    process.off('exit', remove)
    remove()
  }
  invocation.output.remark(isKept ? `Kept: ${home}` : `Removed: ${home}`)
}

/** Temporary files of all threads and terminals go into the folder of the demo too. */
function useTemporaryFolder(folder: string): void {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
}

async function serveDemo(invocation: Invocation, home: string): Promise<void> {
  const { portOf } = await import('./serve.ts')
  const port = portOf(invocation)
  const { context, commands, growth } = await build(invocation, home)
  const { startGrowing } = await import('../../demo/growth.ts')
  const { ownToken } = await import('../../disk/state/token-file.ts')
  const { serveUntilStopped } = await import('../serve-until-stopped.ts')
  const growing = growth === undefined ? undefined : startGrowing(growth)
  try {
    await serveUntilStopped(invocation, {
      context,
      host: '127.0.0.1',
      token: ownToken(context.state).token,
      port,
      policy: 'on-resume',
      opensBrowser: invocation.options['open'] !== false,
      isDemo: true,
      archives: true,
      pathFirst: commands,
    })
  } finally {
    growing?.stop()
    await context.log.flush()
  }
}

async function build({ output }: Invocation, home: string) {
  const { buildDemo } = await import('../../demo/index.ts')
  const { makeProgress } = await import('../print/progress.ts')
  const progress = makeProgress(process.stderr, 'Creating', 'conversations')
  const started = performance.now()
  const demo = await buildDemo({ home, onProgress: progress.update })
  progress.clear()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  output.remark(`Created ${demo.sessions.length} sample conversations in ${seconds} s, below ${home}`)
  return demo
}

function wrong(text: string, hint: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint })
}
