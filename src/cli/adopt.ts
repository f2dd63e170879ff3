// rethread restore --from DIR: puts sessions of another home into this one, with the plan first.
import { resolve } from 'node:path'
import type { PathMap } from '../agents/adoption.ts'
import { isWindowsPath } from '../agents/listing.ts'
import { readProjectInHead } from '../agents/project-in-head.ts'
import { storeOf } from '../agents/store.ts'
import { agentById, type Context, makeContext } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import { exists, openFile } from '../disk/files/read.ts'
import { applyFixes, type FixResult, planRelinks } from '../doctor/fix.ts'
import { inspectAll } from '../doctor/inspect.ts'
import { type Failure, RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import { notAHome } from '../repair/adopt/errors.ts'
import { type AdoptedSession, type AdoptOptions, adoptSession, mainSessions, mapsFor } from '../repair/adopt/index.ts'
import { finishInterrupted } from '../repair/repair.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import { type Invocation, isOn, textOption, textOptions } from './command.ts'
import { EXIT, type ExitStatus, exitOfAdoption } from './exit-status.ts'
import { cleanJson, cleanLine } from './print/clean.ts'
import type { Output } from './print/output.ts'
import { plural } from './print/words.ts'

export async function adoptFrom(invocation: Invocation, folder: string): Promise<ExitStatus> {
  const given = textOptions(invocation, 'map').map(parseMap)
  const context = await invocation.context()
  const home = resolve(folder)
  if (!exists(home)) throw notAHome(home)
  if (home === context.environment.home) throw ownHome(home)
  const foreign = makeContext({ home, state: context.state, logLevel: 'silent' })
  const agent = textOption(invocation, 'agent')
  const agents = (agent === undefined ? foreign.agents : [agentById(foreign, agent)]).filter(notJournal)
  const { sessions, failures } = await findSessions(foreign, agents)
  if (sessions.length === 0 && failures.length === 0) throw notAHome(home)
  const { sessions: ownSessions } = await findSessions(context)
  const folders = sessions.flatMap(session => projectOf(foreign, session) ?? [])
  const maps = mapsFor(given, { foreign: home, own: context.environment.home }, folders)
  const wanted = chosen(mainSessions(sessions), invocation.args)
  const verdicts = openVerdicts(context.state)
  try {
    const options: AdoptOptions = {
      foreign,
      foreignSessions: sessions,
      ownSessions,
      maps,
      asNew: isOn(invocation, 'asNew'),
      force: isOn(invocation, 'force'),
      verdicts,
    }
    const isDry = isOn(invocation, 'dryRun')
    const mustAsk = !isDry && !isOn(invocation, 'yes') && !invocation.isJson && invocation.output.isTerminal
    if (isDry || mustAsk) {
      const planned = await adoptAll(context, wanted, { ...options, isDryRun: true })
      if (isDry) return await report(invocation, context, { maps, adopted: planned, failures })
      await invocation.output.write(describe(invocation.output, context, { maps, adopted: planned, failures }))
      if (!planned.some(({ status }) => status === 'planned') || !(await isConfirmed(planned))) return EXIT.fine
    }
    await finishInterrupted(context)
    const adopted = await adoptAll(context, wanted, options)
    const relinked = await relink(context, adopted, options)
    return await report(invocation, context, { maps, adopted, relinked, failures })
  } finally {
    verdicts.close()
  }
}

interface Outcome {
  maps: readonly PathMap[]
  adopted: readonly AdoptedSession[]
  /** Sessions for which the agent needed an entry in its index. */
  relinked?: readonly FixResult[]
  failures: readonly Failure[]
}

async function adoptAll(context: Context, sessions: readonly SessionRef[], options: AdoptOptions) {
  const adopted: AdoptedSession[] = []
  for (const session of sessions) adopted.push(await adoptSession(context, session, options))
  return adopted
}

/** An index entry that the other home lacks is made here, so that the agent lists the session. */
async function relink(
  context: Context,
  adopted: readonly AdoptedSession[],
  { force = false }: AdoptOptions,
): Promise<FixResult[]> {
  const done = adopted.filter(({ status }) => status === 'adopted')
  const agents = context.agents.filter(({ id }) => done.some(({ agent }) => agent === id))
  if (agents.length === 0) return []
  const inspected = await inspectAll(context, { agents })
  const only = inspected.sessions.filter(({ agent, sessionId }) =>
    done.some(each => each.agent === agent && each.sessionId === sessionId),
  )
  const isWanted = (session: SessionRef) => only.includes(session)
  return await applyFixes(context, await planRelinks(inspected, { isWanted }), { force })
}

async function isConfirmed(planned: readonly AdoptedSession[]): Promise<boolean> {
  const { makeAsk } = await import('./sanitize/ask.ts')
  const count = planned.filter(({ status }) => status === 'planned').length
  const choices = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ]
  const answer = await makeAsk().choose(`Put ${plural(count, 'session')} into this home?`, choices)
  return answer.type === 'answer' && answer.value === 'yes'
}

async function report(invocation: Invocation, context: Context, outcome: Outcome): Promise<ExitStatus> {
  const { output, isJson } = invocation
  const { maps, adopted, relinked = [], failures } = outcome
  if (isJson) await output.write(`${cleanJson({ maps, sessions: adopted, relinked, failures }, 2)}\n`)
  else await output.write(describe(output, context, outcome))
  return exitOfAdoption({ adopted, relinked, failures })
}

function describe(output: Output, context: Context, { maps, adopted, relinked = [], failures }: Outcome): string {
  const titles = new Map(context.agents.map(({ id, title }) => [id, title]))
  const by = (status: AdoptedSession['status']) => adopted.filter(session => session.status === status)
  const lines = maps.map(({ from, to }) =>
    output.style('dim', `Paths below ${cleanLine(from)} become ${cleanLine(to)}`),
  )
  const done = [...by('planned'), ...by('adopted')]
  for (const [agent, ofAgent] of Map.groupBy(done, session => session.agent))
    for (const [folder, sessions] of Map.groupBy(ofAgent, ({ project }) => project?.to ?? '')) {
      const where = folder === '' ? 'of no known folder' : `in ${cleanLine(folder)}`
      lines.push(`${output.style('bold', titles.get(agent) ?? agent)}: ${plural(sessions.length, 'session')} ${where}`)
      if (folder !== '' && !isWindowsPath(folder) && !exists(folder))
        lines.push(`    This folder does not exist here. For another one, use --map ${cleanLine(folder)}=DIR`)
      lines.push(...sessions.flatMap(session => describeOne(output, session)))
    }
  for (const { sessionId, error } of by('refused'))
    lines.push(
      `${output.style('warn', '✗')} ${cleanLine(sessionId)}  ${cleanLine(error?.text ?? '')}`,
      `    ${output.style('accent', cleanLine(error?.hint ?? ''))}`,
    )
  lines.push(...failures.map(({ text, hint }) => `${output.style('warn', '✗')} ${cleanLine(text)} ${cleanLine(hint)}`))
  for (const { text, sessions, receipt, error } of relinked)
    lines.push(
      error === undefined
        ? `Listed ${plural(sessions, 'session')} by an entry of its own: ${cleanLine(text)}`
        : `${output.style('warn', '✗')} Not listed: ${cleanLine(error.text)} ${cleanLine(error.hint)}`,
      ...(receipt === undefined ? [] : [output.style('dim', `      undo: ${paste('rethread undo', receipt)}`)]),
    )
  const present = by('present').length
  const totals = [
    ...(by('planned').length > 0 ? [`${by('planned').length} to adopt`] : []),
    ...(by('adopted').length > 0 || done.length === 0 ? [`${by('adopted').length} adopted`] : []),
    ...(present > 0 ? [`${present} here already`] : []),
    ...(by('refused').length > 0 ? [`${by('refused').length} not adopted`] : []),
  ]
  return `${[...lines, `${totals.join(', ')}.`].join('\n')}\n`
}

function describeOne(output: Output, session: AdoptedSession): string[] {
  const { sessionId, status, isDamaged, files, rows, notes, receipt } = session
  const mark = status === 'adopted' ? output.style('good', '✓') : ' '
  const what = [...(files > 0 ? [plural(files, 'file')] : []), ...(rows > 0 ? [plural(rows, 'row')] : [])].join(', ')
  return [
    `  ${mark} ${cleanLine(sessionId)}  ${what}`,
    ...(isDamaged ? [`      damaged; after it is adopted: ${paste('rethread repair', sessionId)}`] : []),
    ...notes.map(note => `      ${cleanLine(note)}`),
    ...(receipt === null ? [] : [output.style('dim', `      undo: ${paste('rethread undo', receipt)}`)]),
  ]
}

function parseMap(text: string): PathMap {
  const [from = '', to = '', ...more] = text.split('=')
  if (from === '' || to === '' || more.length > 0)
    throw new RethreadError({
      code: 'usage',
      text: `"${text}" is not a valid value for --map.`,
      hint: 'Specify two absolute paths: --map /Users/me/code=/home/me/code',
    })
  return { from: from.replace(/(?<=.)[\\/]+$/, ''), to: resolve(to) }
}

function chosen(sessions: readonly SessionRef[], names: readonly string[]): SessionRef[] {
  return sessions.filter(
    ({ agent, sessionId }) =>
      names.length === 0 || names.some(name => sessionId.startsWith(name) || `${agent}:${sessionId}`.startsWith(name)),
  )
}

/** Undefined also where the file cannot be read: its adoption says why. */
function projectOf(context: Context, session: SessionRef): string | undefined {
  const agent = context.agents.find(({ id }) => id === session.agent)
  if (agent === undefined || session.project !== undefined) return session.project
  const store = storeOf(agent, session)
  if (store.projectInHead === undefined) return undefined
  try {
    const file = openFile(session.filePath, session.storeRoot)
    try {
      return readProjectInHead(store, session, file)
    } finally {
      file.close()
    }
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function notJournal({ isJournal }: { isJournal?: boolean }): boolean {
  return isJournal !== true
}

function ownHome(home: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `${home} is this home.`,
    hint: 'To restore a session that was deleted from it: rethread restore SESSION',
    path: home,
  })
}
