// For tests: a session in the tables of newer versions of OpenCode, with one row of each type.
import { DatabaseSync } from 'node:sqlite'

export const NEWER_SESSION = 'ses_0b1e5aa2affe0NewerTables01'

const STARTED = Date.UTC(2026, 9, 4, 8)
const time = (minute: number, completed?: number) => ({
  created: STARTED + minute * 60_000,
  ...(completed === undefined ? {} : { completed: STARTED + completed * 60_000 }),
})
const model = { id: 'sonnet-5', providerID: 'anthropic', variant: 'default' }

/** Type and content of each row. */
export const NEWER_ROWS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['model-switched', { time: time(0), model }],
  [
    'user',
    {
      time: time(1),
      text: 'Why does the parser drop the last line?',
      files: [{ uri: 'file:///home/dev/shop/parser.ts', mime: 'text/plain', name: 'parser.ts' }],
      agents: [{ name: 'explore' }],
    },
  ],
  [
    'assistant',
    {
      time: time(2, 3),
      agent: 'build',
      model,
      content: [
        {
          type: 'reasoning',
          id: 'r1',
          text: 'The loop may stop too early.',
          providerMetadata: { anthropic: { s: 'x' } },
        },
        { type: 'text', id: 't1', text: 'I read the loop first.' },
        {
          type: 'tool',
          id: 'call_1',
          name: 'read',
          provider: { executed: false },
          time: time(2, 3),
          state: {
            status: 'completed',
            input: { filePath: 'parser.ts' },
            structured: { lines: 1 },
            content: [
              { type: 'text', text: 'for (let i = 0; i < lines.length - 1; i++)' },
              { type: 'file', uri: 'file:///home/dev/shop/loop.png', mime: 'image/png', name: 'loop.png' },
            ],
            outputPaths: [],
          },
        },
        {
          type: 'tool',
          id: 'call_2',
          name: 'edit',
          time: time(2, 3),
          state: {
            status: 'error',
            input: { filePath: 'parser.ts' },
            structured: {},
            content: [],
            error: { type: 'unknown', message: 'The file changed on the disk.' },
          },
        },
      ],
      snapshot: { start: 'abc' },
      finish: 'tool-calls',
      cost: 0.02,
      tokens: { input: 120, output: 40, reasoning: 9, cache: { read: 5, write: 6 } },
    },
  ],
  ['shell', { time: time(4, 4), callID: 'call_3', command: 'npm test', output: '12 passed' }],
  ['synthetic', { time: time(5), sessionID: NEWER_SESSION, text: 'The plan was accepted.' }],
  ['system', { time: time(5), text: 'The file AGENTS.md has changed.' }],
  ['agent-switched', { time: time(6), agent: 'plan' }],
  ['compaction', { time: time(7), reason: 'auto', summary: 'The loop ends one line early.', recent: 'Person: Why…' }],
  ['user', { time: time(8), text: 'Then correct it.' }],
  [
    'assistant',
    {
      time: time(9, 9),
      agent: 'build',
      model,
      content: [{ type: 'text', id: 't2', text: 'Corrected.' }],
      finish: 'error',
      error: { type: 'unknown', message: 'The connection was closed.' },
    },
  ],
]

/** How many of the rows are messages. */
export const NEWER_MESSAGES_COUNT = 6

const MESSAGES = `CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`
export const NEWER_SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL,
    path text, title text NOT NULL, version text NOT NULL, revert text, agent text, model text, time_created integer NOT NULL,
    time_updated integer NOT NULL);
  ${MESSAGES};`

export const NEWER_ID = (index: number): string => `msg_${(0x2b1e5a000001 + index * 4096).toString(16)}Newer000${index}`

/** `database` has the tables. The row of the session is in `table`, if given. */
export function insertNewer(database: DatabaseSync, table: string | undefined = 'session'): void {
  if (table !== undefined)
    database.exec(
      `INSERT INTO ${table} (id, project_id, slug, directory, title, version, time_created, time_updated)
       VALUES ('${NEWER_SESSION}', 'global', 'slug', '/home/dev/shop', 'The last line', '2.0.1', ${STARTED}, ${STARTED})`,
    )
  const insert = database.prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)')
  NEWER_ROWS.forEach(([type, data], index) => {
    const { created } = data['time'] as { created: number }
    insert.run(NEWER_ID(index), NEWER_SESSION, type, index + 1, created, created, JSON.stringify(data))
  })
}

export function change(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
