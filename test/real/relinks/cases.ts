// The ways in which a session gets out of its agent's list while it is still on the disk.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runSql } from '../../support/database.ts'

export interface Broken {
  home: string
  /** Where the session was recorded. */
  project: string
  /** Another name for it. */
  moved: string
  /** Another project with a session, which nothing may change. */
  other: string
  /** Holds a session of one turn with the agent. */
  startIn(folder: string): Promise<void>
}

export interface RelinkCase {
  id: string
  agent: string
  /** All of them if absent. */
  versions?: readonly string[]
  /** Returns the folder in which the agent is asked. */
  inflict(stage: Broken): string | Promise<string>
  /** The agent finds the session all the same: rethread must be silent. */
  isHealed?: readonly string[]
  /** The old path is nowhere in the store, so the folders have to be named: `rethread move`. */
  isByHand?: readonly string[]
  /** The agent continues it, and deletes it as soon as it is asked for a list: the doctor warns. */
  isStillListed?: boolean
  /** A newer session is in the way: it is resumed by its id, and then it is the newest. */
  isResumedById?: boolean
}

function rename({ project, moved }: Broken): string {
  renameSync(project, moved)
  return moved
}

const inHome =
  (change: (stage: Broken) => void) =>
  (stage: Broken): string => {
    change(stage)
    return stage.project
  }

const INDEX = '.codex/state_5.sqlite'
const DATABASE = '.local/share/opencode/opencode.db'
const only = (home: string, pattern: string): string => globSync(join(home, pattern))[0] ?? join(home, pattern)
const logOf = ({ home }: Broken, pattern: string): string => only(home, pattern)
const rolloutOf = ({ home, project }: Broken): string =>
  globSync(join(home, '.codex/sessions/*/*/*/*.jsonl')).find(file =>
    readFileSync(file, 'utf8').includes(JSON.stringify(project)),
  ) ?? ''

function withoutLog(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
}

export const RELINK_CASES: readonly RelinkCase[] = [
  { id: 'project folder renamed', agent: 'claude-code', inflict: rename },
  {
    id: 'project folder renamed, and the agent started in it since',
    agent: 'claude-code',
    async inflict(stage) {
      const moved = rename(stage)
      await stage.startIn(moved)
      return moved
    },
    isResumedById: true,
  },
  {
    id: 'session in the folder of another project',
    agent: 'claude-code',
    inflict: inHome(inOtherProject),
    isHealed: ['2.1.325'],
  },
  {
    id: 'session in the folder of another project, an older one in its own',
    agent: 'claude-code',
    inflict: inHome(stage => {
      const [log] = globSync(join(ownFolder(stage), '*.jsonl'))
      if (log === undefined) throw new Error('The agent has written no session.')
      const older = join(dirname(log), `${OLDER}.jsonl`)
      const lines = readFileSync(log, 'utf8').replaceAll(basename(log, '.jsonl'), OLDER).split('\n')
      inOtherProject(stage)
      writeFileSync(older, `${lines.filter(line => line.includes('"parentUuid":null')).join('\n')}\n`)
      utimesSync(older, 1_700_000_000, 1_700_000_000)
    }),
  },
  {
    id: 'sessions-index.json removed',
    agent: 'claude-code',
    versions: ['2.1.25'],
    isHealed: ['2.1.25'],
    inflict: inHome(stage => rmSync(join(ownFolder(stage), 'sessions-index.json'))),
  },
  {
    id: 'sessions-index.json emptied',
    agent: 'claude-code',
    versions: ['2.1.25'],
    isHealed: ['2.1.25'],
    inflict: inHome(stage => writeFileSync(join(ownFolder(stage), 'sessions-index.json'), '')),
  },
  { id: 'project folder renamed', agent: 'codex', inflict: rename, isHealed: ['0.40.0'] },
  {
    id: 'row of the thread deleted',
    agent: 'codex',
    versions: ['0.166.0'],
    isHealed: ['0.166.0'],
    inflict: inHome(({ home }) => runSql(join(home, INDEX), 'DELETE FROM threads')),
  },
  {
    id: 'index removed',
    agent: 'codex',
    versions: ['0.166.0'],
    isHealed: ['0.166.0'],
    inflict: inHome(({ home }) => {
      withoutLog(join(home, INDEX))
      rmSync(join(home, INDEX))
    }),
  },
  {
    id: 'index emptied',
    agent: 'codex',
    versions: ['0.166.0'],
    isHealed: ['0.166.0'],
    inflict: inHome(({ home }) => {
      withoutLog(join(home, INDEX))
      writeFileSync(join(home, INDEX), '')
    }),
  },
  {
    id: 'index overwritten',
    agent: 'codex',
    versions: ['0.166.0'],
    inflict: inHome(({ home }) => {
      withoutLog(join(home, INDEX))
      writeFileSync(join(home, INDEX), Buffer.alloc(8192, 'x'))
    }),
  },
  {
    id: 'index names a missing file',
    agent: 'codex',
    versions: ['0.166.0'],
    inflict: inHome(({ home, project }) =>
      runSql(join(home, INDEX), 'UPDATE threads SET rollout_path = ? WHERE cwd = ?', [
        join(home, '.codex/sessions/gone.jsonl'),
        project,
      ]),
    ),
  },
  {
    id: 'thread in archived_sessions, not marked as archived',
    agent: 'codex',
    versions: ['0.166.0'],
    inflict: inHome(stage => {
      const file = rolloutOf(stage)
      mkdirSync(join(stage.home, '.codex/archived_sessions'))
      renameSync(file, join(stage.home, '.codex/archived_sessions', basename(file)))
    }),
  },
  {
    id: 'file named by another thread',
    agent: 'codex',
    versions: ['0.166.0'],
    inflict: inHome(stage => {
      const file = rolloutOf(stage)
      renameSync(file, file.replace(/[0-9a-f]{8}(-[0-9a-f-]{27}\.jsonl)$/, '11111111$1'))
    }),
  },
  { id: 'project folder renamed', agent: 'gemini-cli', inflict: rename, isByHand: ['0.20.0'] },
  ...['removed', 'emptied', 'cut'].map(
    (how): RelinkCase => ({
      id: `projects.json ${how}`,
      agent: 'gemini-cli',
      versions: ['0.61.0'],
      isHealed: ['0.61.0'],
      inflict: inHome(({ home }) => {
        const file = join(home, '.gemini/projects.json')
        if (how === 'removed') rmSync(file)
        else writeFileSync(file, how === 'cut' ? readFileSync(file, 'utf8').slice(0, 25) : '')
      }),
    }),
  ),
  {
    id: 'projects.json names another folder',
    agent: 'gemini-cli',
    versions: ['0.61.0'],
    inflict: inHome(({ home, project }) =>
      writeFileSync(
        join(home, '.gemini/projects.json'),
        readFileSync(join(home, '.gemini/projects.json'), 'utf8').replace(
          new RegExp(`(${JSON.stringify(project)}: ?)"[^"]*"`),
          '$1"other"',
        ),
      ),
    ),
  },
  {
    id: '.project_root names another project',
    agent: 'gemini-cli',
    versions: ['0.61.0'],
    inflict: inHome(stage => writeFileSync(logOf(stage, '.gemini/tmp/shop/.project_root'), '/home/dev/blog')),
  },
  {
    id: 'empty log of an earlier resume',
    agent: 'gemini-cli',
    versions: ['0.61.0'],
    isStillListed: true,
    inflict: inHome(stage => {
      const log = logOf(stage, '.gemini/tmp/shop/chats/*.jsonl')
      const [header, context] = readFileSync(log, 'utf8').split('\n')
      writeFileSync(log.replace(/T\d\d-\d\d/, 'T00-00'), `${header}\n${context}\n`)
    }),
  },
  { id: 'project folder renamed', agent: 'opencode', inflict: rename, isHealed: ['1.1.65'] },
  {
    id: 'session filed under another project',
    agent: 'opencode',
    versions: ['1.18.33'],
    inflict: inHome(({ home, project }) => {
      const database = join(home, DATABASE)
      runSql(
        database,
        "INSERT INTO project (id, worktree, time_created, time_updated, sandboxes) VALUES ('abc', '/home/dev/blog', 1, 1, '[]')",
      )
      runSql(database, "UPDATE session SET project_id = 'abc' WHERE directory = ?", [project])
    }),
  },
  {
    id: 'session filed under another project',
    agent: 'opencode',
    versions: ['1.1.65'],
    inflict: inHome(({ home, project }) => {
      const sessions = join(home, '.local/share/opencode/storage/session')
      mkdirSync(join(sessions, 'abc'))
      for (const file of globSync(join(sessions, 'global/*.json')))
        if (readFileSync(file, 'utf8').includes(JSON.stringify(project)))
          renameSync(file, join(sessions, 'abc', basename(file)))
    }),
  },
  {
    id: 'database named as that of another channel',
    agent: 'opencode',
    versions: ['1.18.33'],
    inflict: inHome(({ home }) => {
      for (const suffix of ['', '-wal', '-shm']) {
        const file = join(home, DATABASE) + suffix
        if (existsSync(file)) renameSync(file, file.replace('opencode.db', 'opencode-stable.db'))
      }
    }),
  },
]

const OLDER = '11111111-1111-4111-8111-111111111111'

/** As Claude Code names it. */
function ownFolder({ home, project }: Broken): string {
  return join(home, '.claude/projects', project.replace(/[^a-zA-Z0-9-]/g, '-'))
}

function inOtherProject(stage: Broken): void {
  const other = join(stage.home, '.claude/projects/-home-dev-blog')
  const files = globSync(join(ownFolder(stage), '*.jsonl'))
  mkdirSync(other)
  for (const file of files) renameSync(file, join(other, basename(file)))
}

export function keepCopy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}
