// rethread service

import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { EXIT, type ExitStatus, exitOfService } from '../exit-status.ts'
import type { ServicePlan, ServiceStatus } from '../service/index.ts'

const ACTIONS = ['install', 'status', 'uninstall'] as const

export const serviceCommand: CommandDefinition = {
  name: 'service',
  arguments: '<action>',
  summary: 'Archive sessions in the background, from login on',
  options: [
    { flags: '--print', description: 'With install: print the file that would be written, and change nothing' },
  ],
  help: `Runs "rethread archive --watch" as a service of your account: a user unit of systemd on Linux, an agent of
launchd on macOS, a scheduled task on Windows.

Actions:
  install    Write the description of the service, and start it
  status     Report whether it is installed and runs, and how to see its log (exit status 3 if it does not run)
  uninstall  Stop it, and remove what install has written

Examples:
  rethread service install --print
  rethread service install
  rethread service status`,
  async run(invocation) {
    const { planService, installService, uninstallService, serviceStatus } = await import('../service/index.ts')
    const { cleanLine, cleanText } = await import('../print/clean.ts')
    const { output, isJson } = invocation
    const action = ACTIONS.find(name => name === invocation.args[0])
    if (action === undefined)
      throw new RethreadError({
        code: 'usage',
        text: invocation.args[0] === undefined ? 'Specify an action.' : `Unknown action "${invocation.args[0]}".`,
        hint: `Use one of: ${ACTIONS.map(name => `rethread service ${name}`).join(', ')}`,
      })
    const context = await invocation.context()
    const plan = planService(context, textOption(invocation, 'home') !== undefined)
    if (isOn(invocation, 'print')) return await print(invocation, plan)
    switch (action) {
      case 'install':
        return await report(invocation, await installService(context, plan))
      case 'status':
        return await report(invocation, await serviceStatus(context, plan))
      case 'uninstall': {
        const wasInstalled = uninstallService(context, plan)
        const text = wasInstalled
          ? `Removed ${cleanLine(plan.file)}. The archive itself stays.`
          : 'It is not installed.'
        await output.write(isJson ? `${JSON.stringify({ file: plan.file, wasInstalled })}\n` : `${cleanText(text)}\n`)
        return EXIT.fine
      }
    }
  },
}

async function print({ output, isJson }: Invocation, { file, text }: ServicePlan): Promise<ExitStatus> {
  const { cleanJson } = await import('../print/clean.ts')
  if (isJson) await output.write(`${cleanJson({ file, text }, 2)}\n`)
  else await output.write(text)
  return EXIT.fine
}

async function report({ output, isJson }: Invocation, status: ServiceStatus): Promise<ExitStatus> {
  const { cleanJson, cleanLine } = await import('../print/clean.ts')
  if (isJson) await output.write(`${cleanJson(status, 2)}\n`)
  else {
    const { isInstalled, isCurrent, isRunning, archivedBy, file, log, problem, manager } = status
    const lines = [
      isInstalled ? `Installed for ${manager}: ${file}` : 'Not installed. Install it: rethread service install',
      ...(isInstalled && !isCurrent ? ['It is not up to date. Install it again: rethread service install'] : []),
      ...(isInstalled ? [isRunning ? 'It runs.' : 'It does not run.'] : []),
      ...(problem === undefined ? [] : [problem]),
      archivedBy === null
        ? 'No process keeps the archive up to date now.'
        : `Process ${archivedBy} keeps the archive up to date.`,
      ...(isInstalled ? [`See its log: ${log}`] : []),
    ]
    await output.write(`${lines.map(cleanLine).join('\n')}\n`)
  }
  return exitOfService(status)
}
