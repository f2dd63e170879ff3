// A change of a large table that must not stop the shop.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, red, shell, work, yellow } from '../story.ts'

const CASES = [
  { project: 'shop', table: 'orders', from: 'status', to: 'order_state', rows: '4,1 million', seconds: 96 },
  { project: 'billing', table: 'payments', from: 'ref', to: 'reference', rows: '11 million', seconds: 240 },
  { project: 'api', table: 'audit_log', from: 'user', to: 'actor_id', rows: '38 million', seconds: 610 },
  { project: 'infra', table: 'deployments', from: 'env', to: 'environment', rows: '900,000', seconds: 12 },
]

export const migration: Story[] = CASES.map(({ project, table, from, to, rows, seconds }) => ({
  title: `Rename ${table}.${from} without downtime`,
  project,
  turns: [
    ask(
      `I want to rename \`${from}\` to \`${to}\` in \`${table}\` (${rows} rows, PostgreSQL 16). Two versions of the app run side by side during a deploy. What is the safe way, and can you write it?`,
    ),
    work(
      {
        thinking:
          'A plain RENAME COLUMN is quick but breaks the old version at once. So: add, write both, fill, switch reads, drop. The fill has to go in batches so that no transaction holds locks for long.',
        text: 'Let me see how large it really is and what depends on the column.',
      },
      shell(
        `psql -c "\\d+ ${table}" | grep -n '${from}'`,
        ` 7: ${from}      | text      |           | not null |         | extended`,
        `31:    "${table}_${from}_idx" btree (${from})`,
      ),
      shell(`psql -Atc "SELECT pg_size_pretty(pg_total_relation_size('${table}'))"`, '2317 MB'),
    ),
    answer(
      'In four deploys, each of which can be taken back:',
      [
        '| step | schema | app |',
        '|---|---|---|',
        `| 1 | add \`${to}\`, nullable | writes both |`,
        '| 2 | fill in batches | writes both |',
        `| 3 | index and \`NOT NULL\` on \`${to}\` | reads the new one |`,
        `| 4 | drop \`${from}\` | knows nothing of the old one |`,
      ].join('\n'),
      'The fill is the part that people get wrong. One `UPDATE` over everything would hold its locks for minutes:',
      code(
        'sql',
        `UPDATE ${table} SET ${to} = ${from}`,
        ` WHERE id IN (SELECT id FROM ${table} WHERE ${to} IS NULL LIMIT 5000 FOR UPDATE SKIP LOCKED);`,
      ),
    ),
    ask('Write 1 and 2, please, and try them on the copy of last night.'),
    work(
      {},
      edit(`migrations/0057_add_${to}.sql`, [''], [`ALTER TABLE ${table} ADD COLUMN ${to} text;`]),
      edit(
        `scripts/fill-${to.replaceAll('_', '-')}.ts`,
        [''],
        [
          'for (let changed = 1; changed > 0; await pause(200)) {',
          `  changed = await fillBatch('${table}', 5000)`,
          '  report(changed)',
          '}',
        ],
      ),
      shell(
        `node scripts/fill-${to.replaceAll('_', '-')}.ts --database copy`,
        `${yellow('copy')} ${table}: filled in ${seconds} s, longest transaction 118 ms, lock waits: 0`,
      ),
    ),
    work(
      { text: 'And does the old version of the app still run against it?' },
      shell(
        'git stash -q && npm run smoke -- --database copy; git stash pop -q',
        'GET /health 200',
        `POST /${table} 201`,
        `${red('note')} one row written by the old version has no ${to} yet: expected until step 2 has run again`,
      ),
    ),
    answer(
      `On the copy it took ${seconds} seconds and the longest transaction was 118 ms, so nobody will notice. Run the fill once more after the old version is gone: what it wrote in between has only the old column.`,
    ),
  ],
}))
