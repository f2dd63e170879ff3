// A page that takes its time.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, shell, work } from '../story.ts'

const CASES = [
  {
    project: 'shop',
    page: 'order history',
    table: 'orders',
    by: 'customer_id',
    sort: 'created_at',
    before: 3412,
    after: 2.1,
  },
  {
    project: 'billing',
    page: 'list of open invoices',
    table: 'invoices',
    by: 'account_id',
    sort: 'due_at',
    before: 8120,
    after: 4.8,
  },
  { project: 'api', page: 'audit trail', table: 'audit_log', by: 'actor_id', sort: 'at', before: 12904, after: 1.3 },
  {
    project: 'docs',
    page: 'search for pages',
    table: 'pages',
    by: 'space_id',
    sort: 'updated_at',
    before: 940,
    after: 0.9,
  },
]

export const slowQuery: Story[] = CASES.map(({ project, page, table, by, sort, before, after }) => ({
  title: `The ${page} takes ${Math.round(before / 1000) || 1} seconds`,
  project,
  turns: [
    ask(
      `The ${page} is slow for our largest customer. This is the query, what is wrong with it?`,
      code('sql', `SELECT * FROM ${table}`, `WHERE ${by} = $1`, `ORDER BY ${sort} DESC`, 'LIMIT 50 OFFSET $2;'),
    ),
    work(
      { text: 'Nothing wrong to look at. What does the planner make of it?' },
      shell(
        `psql -c "EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM ${table} WHERE ${by} = 4711 ORDER BY ${sort} DESC LIMIT 50"`,
        ` Limit  (actual time=${before}.118..${before}.131 rows=50 loops=1)`,
        `   ->  Sort  (actual time=${before}.116..${before}.122 rows=50 loops=1)`,
        `         Sort Key: ${sort} DESC`,
        '         Sort Method: top-N heapsort  Memory: 61kB',
        `         ->  Bitmap Heap Scan on ${table}  (rows=812044 loops=1)`,
        `               Recheck Cond: (${by} = 4711)`,
        '               Heap Blocks: exact=214980',
        '               Buffers: shared hit=1204 read=214980',
        ` Execution Time: ${before}.202 ms`,
      ),
    ),
    work(
      {
        thinking: `It fetches 812,044 rows to sort them and throws all but 50 away. An index on (${by}, ${sort} DESC) gives them in order, so it can stop after 50. CONCURRENTLY, as the table is live.`,
      },
      edit(
        `migrations/0061_${table}_by_${sort}.sql`,
        [''],
        [
          '-- Outside a transaction: the table stays writable while it is built.',
          `CREATE INDEX CONCURRENTLY ${table}_${by}_${sort}_idx ON ${table} (${by}, ${sort} DESC);`,
        ],
      ),
      shell(
        `psql -d copy -f migrations/0061_${table}_by_${sort}.sql && psql -d copy -c "EXPLAIN ANALYZE SELECT * FROM ${table} WHERE ${by} = 4711 ORDER BY ${sort} DESC LIMIT 50"`,
        'CREATE INDEX',
        ` Limit  (actual time=0.041..${after} rows=50 loops=1)`,
        `   ->  Index Scan using ${table}_${by}_${sort}_idx on ${table}  (rows=50 loops=1)`,
        ` Execution Time: ${after} ms`,
      ),
    ),
    answer(
      `From **${before} ms to ${after} ms**. The old index found the customer's rows but not their order, so all 812,044 of them were read from disk and sorted for the sake of 50.`,
      '`OFFSET` is the next one: page 500 still counts through 25,000 entries. Go on from the last row instead:',
      code('sql', `WHERE ${by} = $1 AND ${sort} < $2`, `ORDER BY ${sort} DESC LIMIT 50;`),
    ),
  ],
}))
