// The databases beside the rollouts, as small as the tests of this folder need them.
import { putDatabase } from '../database.ts'

type Columns = Record<string, string | number>

/** The index, with one thread. */
export function putIndex(home: string, thread: Columns): string {
  const columns = { cwd: '/home/dev/shop', rollout_path: '', ...thread }
  const names = Object.keys(columns)
  return putDatabase(home, 'state_5.sqlite', database => {
    database.exec('CREATE TABLE _sqlx_migrations (version); CREATE TABLE backfill_state (id)')
    database.exec(`CREATE TABLE threads (${names.map(name => (name === 'id' ? 'id PRIMARY KEY' : name)).join(', ')})`)
    const places = names.map(() => '?').join(', ')
    database.prepare(`INSERT INTO threads VALUES (${places})`).run(...Object.values(columns))
  })
}

/** The projection, come to `offset` of the thread. */
export function putProjection(home: string, thread: string, offset: number, turns: readonly string[]): string {
  return putDatabase(home, 'thread_history_1.sqlite', database => {
    database.exec('CREATE TABLE _sqlx_migrations (version); CREATE TABLE thread_items (thread_id)')
    database.exec('CREATE TABLE thread_turns (thread_id, turn_id, PRIMARY KEY (thread_id, turn_id))')
    database.exec('CREATE TABLE thread_history_projection_state (thread_id PRIMARY KEY, next_rollout_byte_offset)')
    database.prepare('INSERT INTO thread_history_projection_state VALUES (?, ?)').run(thread, offset)
    for (const turn of turns) database.prepare('INSERT INTO thread_turns VALUES (?, ?)').run(thread, turn)
  })
}
