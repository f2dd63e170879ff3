// Installs the archive as a service of the person's account. Only files that rethread made are replaced or
// removed.
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { variablesRead } from '../../agents/child-environment.ts'
import type { Platform } from '../../agents/environment.ts'
import { watcherOf } from '../../catalog/archive.ts'
import type { Context } from '../../catalog/context.ts'
import { readOptionalFile, realPath } from '../../disk/files/read.ts'
import { locateProgram, runProgram } from '../../disk/processes/start-program.ts'
import { makeFolder, removeIfThere, replaceOwnFile } from '../../disk/state/own-files.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import type { Program } from '../../model/program.ts'
import { packageRoot } from '../version.ts'
import { launchd } from './launchd.ts'
import { scheduledTask } from './scheduled-task.ts'
import { MARK, type Service, type ServiceManager } from './service.ts'
import { systemd } from './systemd.ts'

const MANAGERS: Record<Platform, ServiceManager> = { linux: systemd, darwin: launchd, win32: scheduledTask }
/** Also read by rethread itself, to find its configuration. */
const OF_A_HOME = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']
const TIMEOUT_MS = 60_000
/** npx removes what it has downloaded after a while. */
const TEMPORARY = /[/\\]_npx[/\\]/

export interface ServicePlan {
  manager: ServiceManager
  file: string
  text: string
  log: string
}

export interface ServiceStatus {
  manager: string
  file: string
  isInstalled: boolean
  /** The file is what an installation would write now. */
  isCurrent: boolean
  isRunning: boolean
  /** The process that keeps the archive up to date, such as the service or a server. */
  archivedBy: number | null
  /** How to see its log. */
  log: string
  /** What the service manager said where it could not be asked. */
  problem?: string
}

export function planService(context: Context, isHomeGiven: boolean): ServicePlan {
  const { environment, state, agents } = context
  const manager = MANAGERS[environment.platform]
  const names = new Set([...variablesRead({ agents, environment }), ...OF_A_HOME])
  names.delete('PATH')
  const logFile = manager.logFile(environment)
  const script = realPath(join(packageRoot(), 'bin', 'rethread.js'))
  if (TEMPORARY.test(script)) throw notInstalled(script)
  const service: Service = {
    program: process.execPath,
    args: [
      script,
      ...(isHomeGiven ? ['--home', environment.home] : []),
      '--state',
      state,
      'archive',
      '--watch',
      '--quiet',
    ],
    variables: Object.entries(environment.variables).filter(
      (entry): entry is [string, string] => names.has(entry[0]) && entry[1] !== undefined && entry[1] !== '',
    ),
    logFile,
    user: userName(),
  }
  return { manager, file: manager.file(environment), text: manager.text(service), log: manager.log({ logFile }) }
}

function notInstalled(script: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${script} is a download of npx, which is removed after a while. A service needs an installation.`,
    hint: 'Install it, then try again: npm install --global rethread',
    path: script,
  })
}

/** The domain of Windows is part of the name of an account. */
function userName(): string {
  const { username } = userInfo()
  const domain = process.platform === 'win32' ? process.env['USERDOMAIN'] : undefined
  return domain === undefined ? username : `${domain}\\${username}`
}

/** The description is written in any case. The result says whether the service runs. */
export async function installService(context: Context, plan: ServicePlan): Promise<ServiceStatus> {
  const { manager, file } = plan
  const before = ownFile(plan)
  const bytes = encode(plan)
  if (before?.equals(bytes) !== true) {
    makeFolder(dirname(file))
    replaceOwnFile(file, bytes)
  } else if ((await serviceStatus(context, plan)).isRunning) return await serviceStatus(context, plan)
  const account = accountOf(file)
  // A service that is loaded keeps its old description.
  if (before !== undefined) for (const program of manager.stop(account)) run(context, plan, program)
  for (const program of manager.start(account)) {
    const problem = run(context, plan, program).problem
    if (problem !== undefined) return { ...(await serviceStatus(context, plan)), problem }
  }
  return await serviceStatus(context, plan)
}

/** Returns false where it was not installed. */
export function uninstallService(context: Context, plan: ServicePlan): boolean {
  if (ownFile(plan) === undefined) return false
  for (const program of plan.manager.stop(accountOf(plan.file))) run(context, plan, program)
  removeIfThere(plan.file)
  if (plan.manager.forget !== undefined) run(context, plan, plan.manager.forget)
  return true
}

export async function serviceStatus(context: Context, plan: ServicePlan): Promise<ServiceStatus> {
  const { manager, file, log } = plan
  const present = ownFile(plan)
  const { problem, output } = run(context, plan, manager.query(accountOf(file)))
  return {
    manager: manager.title,
    file,
    isInstalled: present !== undefined,
    isCurrent: present?.equals(encode(plan)) === true,
    isRunning: present !== undefined && problem === undefined && manager.running.test(output),
    archivedBy: watcherOf(context) ?? null,
    log,
  }
}

/** Throws where the file is not from rethread. Undefined where there is none. */
function ownFile({ file, manager }: ServicePlan): Buffer | undefined {
  const bytes = readOptionalFile(file, dirname(file))
  const text = bytes?.toString(manager.encoding === 'utf16' ? 'utf16le' : 'utf8')
  if (text === undefined || text.includes(MARK) || text.includes(MARK.replaceAll('"', '&quot;'))) return bytes
  throw new RethreadError({
    code: 'busy',
    text: `${file} was not made by rethread, and is left as it is.`,
    hint: `Move it away first: mv ${quote(file)} ${quote(`${file}.old`)}`,
    path: file,
  })
}

function encode({ manager, text }: ServicePlan): Buffer {
  return manager.encoding === 'utf16' ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text)
}

function accountOf(file: string): { file: string; uid: number } {
  return { file, uid: process.getuid?.() ?? 0 }
}

/** The service manager knows the person's own home only: for another one, the file alone is written. */
function run({ environment }: Context, { manager }: ServicePlan, program: Program) {
  if (environment.home !== homedir()) return { output: '', problem: `${environment.home} is not your home folder.` }
  const found = locateProgram(program, '/', process.env)
  if (found === undefined) return { output: '', problem: `${program.command} is not installed.` }
  const { status, stdout, stderr, error } = runProgram(found, { timeout: TIMEOUT_MS, stdio: 'pipe', env: process.env })
  const output = String(stdout ?? '')
  if (error === undefined && status === 0) return { output, problem: undefined }
  const said = error?.message ?? (String(stderr ?? '').trim() || output.trim())
  return { output, problem: `${manager.command} failed: ${said || `exit status ${status}`}` }
}
