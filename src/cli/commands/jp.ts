// rethread jp
import { resolve } from 'node:path'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { EXIT, EXIT_NOT_STARTED } from '../exit-status.ts'
import type { Readiness } from '../sanitize/before-agent.ts'

const PROGRAM = 'jp'
/** The option of JP that names a workspace. */
const WORKSPACE = /^(?:-w|--workspace)(?:=(.*))?$/s

export const jpCommand: CommandDefinition = {
  name: PROGRAM,
  arguments: '[args...]',
  summary: 'Repair the conversations of JP, then run JP',
  options: [{ flags: '--anyway', description: 'Run JP even if something is left damaged' }],
  help: `Every command of JP first moves the conversations that it cannot read to its trash. This command
repairs them as "rethread sanitize --salvage" does, then runs JP with the arguments after --, in the
same terminal. Its exit status is that of JP. Nothing is printed if everything is healthy.

Alias for your shell:
  alias jp='rethread jp --'

Examples:
  rethread jp -- query "And now?"
  rethread jp -- conversation ls`,
  async run(invocation) {
    const readiness = await prepare(invocation, workspaceIn(invocation.args))
    if (readiness === 'interrupted') return EXIT.interrupted
    if (readiness === 'left' && !isOn(invocation, 'anyway')) {
      invocation.output.remark(
        'JP was not started: it would trash what is left damaged. To run it: rethread jp --anyway',
      )
      return EXIT_NOT_STARTED
    }
    const { handOver } = await import('../hand-over.ts')
    const { program, words, written } = await import('../../model/program.ts')
    return await handOver({ program: program(PROGRAM, words(written(invocation.args))), folder: undefined })
  },
}

/** The store is usually as it was after the last run, which is known without loading the agents. */
async function prepare(invocation: Invocation, folder: string | undefined): Promise<Readiness> {
  const { makePlace } = await import('../../catalog/place.ts')
  const { countUnchanged } = await import('../../agents/jp/sanitize/unchanged.ts')
  const { home, state } = { home: textOption(invocation, 'home'), state: textOption(invocation, 'state') }
  const place = makePlace({ ...(home === undefined ? {} : { home }), ...(state === undefined ? {} : { state }) })
  const here = { ...place, folder: resolve(folder ?? place.environment.folder ?? process.cwd()) }
  if (countUnchanged(here) !== undefined) return 'ready'
  const { sanitizeBefore } = await import('../sanitize/before-agent.ts')
  return await sanitizeBefore(invocation, await invocation.context(), folder)
}

/** JP also takes the id of a workspace here, which is not a folder. */
function workspaceIn(args: readonly string[]): string | undefined {
  const at = args.findIndex(arg => WORKSPACE.test(arg))
  const given = at === -1 ? undefined : (WORKSPACE.exec(args[at] ?? '')?.[1] ?? args[at + 1])
  return given !== undefined && /[/\\.]/.test(given) ? given : undefined
}
