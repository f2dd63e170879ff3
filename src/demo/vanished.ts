// Plans and makes what agents no longer list: moved projects, misplaced conversations, and another home.
import { join, posix, relative } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { Call } from '../agents/samples/conversation.ts'
import type { SampleMaker } from '../agents/samples/sample.ts'
import { findStore } from '../agents/store.ts'
import { writeSampleFile } from '../disk/files/sample-files.ts'
import { fillHome } from './fill-home.ts'
import type { PlannedSession } from './plan.ts'
import { stories } from './stories/index.ts'
import { misplaced, movedProjects, otherHome } from './stories/vanished.ts'
import type { UntimedTurn } from './story.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const FIRST_DAYS = 6

export function planVanished(
  agents: readonly Agent[],
  makers: readonly SampleMaker[],
  projects: string,
): PlannedSession[] {
  const listing = makers.filter(maker => storeOf(agents, maker)?.listing !== undefined)
  const hiding = makers.filter(({ misplace }) => misplace !== undefined)
  return [
    ...movedProjects.flatMap(({ project, titles }) =>
      planTitles(listing, project, titles).map(planned => withWholePaths(planned, join(projects, project))),
    ),
    ...planTitles(hiding, misplaced.project, misplaced.titles).map(planned => ({ ...planned, isMisplaced: true })),
  ]
}

/** Files the conversation under another project. Returns where it is then. */
export function misplace({ maker }: PlannedSession, file: string, projects: string): string {
  return maker.misplace?.(file, join(projects, misplaced.filedUnder)) ?? file
}

/** The folder of a project: where it is now, if it was moved. */
export function folderOf(home: string, projects: string, project: string): string {
  const moved = movedProjects.find(each => each.project === project)
  return moved === undefined ? join(projects, project) : join(home, ...moved.folder)
}

/** As agents name files: the folder that they were in can be seen from them. */
function withWholePaths(planned: PlannedSession, folder: string): PlannedSession {
  const turns = planned.story.turns.map((turn): UntimedTurn => {
    if (turn.type !== 'step') return turn
    const calls = turn.calls.map(call => {
      const path = pathIn(call)
      return path === undefined ? call : { ...call, input: { ...call.input, path: join(folder, path) } }
    })
    return { ...turn, calls }
  })
  return { ...planned, story: { ...planned.story, turns } }
}

/** A moved folder has the files that its conversations name. */
export function writeNamedFiles(home: string, projects: string, planned: readonly PlannedSession[]): void {
  for (const { project, folder } of movedProjects)
    for (const { story } of planned)
      for (const turn of story.project === project ? story.turns : [])
        for (const call of turn.type === 'step' ? turn.calls : []) {
          const path = relative(join(projects, project), pathIn(call) ?? projects)
          if (!path.startsWith('..')) writeSampleFile(join(home, ...folder, path), 'A file of the rethread demo.\n')
        }
}

/** A home that is not this one. Its conversations can be adopted: rethread restore --from. */
export function fillOtherHome(
  agents: readonly Agent[],
  makers: readonly SampleMaker[],
  { home, seed, now }: { home: string; seed: number; now: number },
): string {
  const folder = join(home, ...otherHome.folder)
  const adoptable = makers.filter(maker => storeOf(agents, maker)?.adoption !== undefined)
  const planned = planTitles(adoptable, otherHome.project, otherHome.titles)
  const projects = posix.join(otherHome.home, otherHome.projects)
  writeSampleFile(join(folder, 'README.md'), `The home ${otherHome.home} of another machine, for the rethread demo.\n`)
  fillHome(planned, { home: folder, projects, seed: seed + 1, now, onSession() {} })
  return folder
}

function planTitles(makers: readonly SampleMaker[], project: string, titles: readonly string[]): PlannedSession[] {
  return titles.flatMap((title, index): PlannedSession[] => {
    const [maker, story] = [makers[index % makers.length], stories[index % stories.length]]
    if (maker === undefined || story === undefined) return []
    const ageMs = (FIRST_DAYS + 2 * index) * DAY_MS
    return [{ maker, story: { ...story, title, project }, ageMs, problem: { type: 'none' } }]
  })
}

function pathIn({ tool, input }: Call): string | undefined {
  const path = tool === 'read' || tool === 'edit' ? input['path'] : undefined
  return typeof path === 'string' && !path.includes('..') ? path : undefined
}

function storeOf(agents: readonly Agent[], maker: SampleMaker) {
  return findStore(
    agents.find(({ id }) => id === maker.agent),
    { generation: maker.store },
  )
}
