// The folders and projects that clients see. A project is the repository, or the folder, of a session.
import type { Api, OpenCodeApp } from '../api.ts'
import { notFound } from '../errors.ts'
import { findRepository, readBranches } from '../git/branch.ts'
import { projectId } from '../ids.ts'
import { allowedDirectory, directoryOf, isOpenFolder, namedDirectory, refuseAll } from './common.ts'

interface Project {
  id: string
  worktree: string
  vcs?: 'git'
  time: { created: number; updated: number; initialized: number }
  sandboxes: string[]
}

const NO_PROJECTS = 'A project is the folder of its sessions and has no settings of its own.'

export function addPaths(app: OpenCodeApp): void {
  app.get('/path', async context => {
    const { api } = context.var
    const directory = directoryOf(context)
    const { home, state, config } = api.folders
    return context.json({ home, state, config, worktree: await worktreeOf(api, directory), directory })
  })
  app.get('/project', async context => context.json([...(await projects(context.var.api)).values()]))
  app.get('/project/current', async context => {
    const { api } = context.var
    const directory = directoryOf(context)
    const worktree = await worktreeOf(api, directory)
    const known = (await projects(api)).get(worktree)
    return context.json(known ?? makeProject(worktree, Date.now(), await isOpenFolder(api, directory)))
  })
  app.get('/project/:id/directories', async context => {
    const { api } = context.var
    const id = context.req.param('id')
    const listed = await api.sessions.list()
    const used = [api.folders.directory, ...listed.map(({ session }) => session.directory)]
    const directories = [...new Set(used)].filter(directory => projectId(api.roots.rootOf(directory)) === id)
    if (directories.length === 0) throw notFound(`There is no project ${id}.`)
    return context.json(directories.map(directory => ({ directory })))
  })
  app.get('/vcs', async context => {
    const { folders } = context.var.api
    const isOwn = namedDirectory(context) === undefined || directoryOf(context) === folders.directory
    if (isOwn && folders.branch !== undefined) return context.json({ branch: folders.branch })
    return context.json(readBranches(await allowedDirectory(context)))
  })
  refuseAll(app, [
    ['patch', '/project/:id', NO_PROJECTS],
    ['post', '/project/git/init', 'Create repositories yourself, or ask an agent to.'],
  ])
}

/** A folder that is not open to clients is its own root: nothing in it is read. */
async function worktreeOf(api: Api, directory: string): Promise<string> {
  return (await isOpenFolder(api, directory)) ? api.roots.rootOf(directory) : directory
}

/** By worktree. Always includes the folder of the server. */
async function projects({ sessions, folders, roots }: Api): Promise<Map<string, Project>> {
  const found = new Map<string, Project>()
  const own = roots.rootOf(folders.directory)
  for (const { session } of await sessions.list()) {
    const worktree = roots.rootOf(session.directory)
    const { created, updated } = session.time
    const project = found.get(worktree) ?? makeProject(worktree, created)
    project.time.created = Math.min(project.time.created, created)
    project.time.updated = Math.max(project.time.updated, updated)
    found.set(worktree, project)
  }
  if (!found.has(own)) found.set(own, makeProject(own, Date.now()))
  return found
}

function makeProject(worktree: string, at: number, mayRead = true): Project {
  const isRepository = mayRead && findRepository(worktree) !== undefined
  return {
    id: projectId(worktree),
    worktree,
    ...(isRepository ? { vcs: 'git' as const } : {}),
    time: { created: at, updated: at, initialized: at },
    sandboxes: [],
  }
}
