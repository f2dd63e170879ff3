// Two things at once.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, failing, failingShell, passing, read, shell, total, work } from '../story.ts'

const CASES = [
  {
    project: 'shop',
    thing: 'the last item in stock',
    table: 'stock',
    file: 'src/stock/reserve.ts',
    noun: 'reservation',
  },
  {
    project: 'billing',
    thing: 'an invoice number',
    table: 'counters',
    file: 'src/invoices/next-number.ts',
    noun: 'number',
  },
  { project: 'api', thing: 'a user name', table: 'users', file: 'src/users/register.ts', noun: 'account' },
  { project: 'infra', thing: 'the deploy lock', table: 'locks', file: 'src/deploy/lock.ts', noun: 'lock' },
]

export const raceCondition: Story[] = CASES.map(({ project, thing, table, file, noun }) => ({
  title: `Two requests get ${thing}`,
  project,
  turns: [
    ask(
      `Support has two customers who both got ${thing}, 40 ms apart. That should be impossible. The code is in \`${file}\`. Can you prove it before you fix it?`,
    ),
    work(
      {},
      read(
        file,
        `export async function take(db: Database, id: string): Promise<boolean> {`,
        `  const row = await db.one('SELECT free FROM ${table} WHERE id = $1', [id])`,
        '  if (row.free <= 0) return false',
        `  await db.run('UPDATE ${table} SET free = free - 1 WHERE id = $1', [id])`,
        '  return true',
        '}',
      ),
    ),
    work(
      {
        thinking:
          'Check, then act, with an await in between: the classic. A test with two calls at once on one connection pool will show it, if the pool has two connections.',
        text: 'It looks first and takes afterwards. Here is a test that does both at the same time:',
      },
      edit(
        file.replace('.ts', '.test.ts'),
        [''],
        [
          "test('gives the last one to one of two', async () => {",
          "  const taken = await Promise.all([take(db, 'a'), take(db, 'a')])",
          '  expect(taken.filter(Boolean)).toHaveLength(1)',
          '})',
        ],
      ),
      failingShell(
        `npx vitest run ${file.replace('.ts', '.test.ts')}`,
        failing(file.replace('.ts', '.test.ts'), 'gives the last one to one of two'),
        '',
        '   AssertionError: expected [ true, true ] to have a length of 1 but got 2',
        '',
        total(5, 1),
      ),
    ),
    work(
      { text: 'Proved. Now the look and the taking in one statement.' },
      edit(
        file,
        [
          `  const row = await db.one('SELECT free FROM ${table} WHERE id = $1', [id])`,
          '  if (row.free <= 0) return false',
          `  await db.run('UPDATE ${table} SET free = free - 1 WHERE id = $1', [id])`,
          '  return true',
        ],
        [
          `  const taken = await db.run('UPDATE ${table} SET free = free - 1 WHERE id = $1 AND free > 0', [id])`,
          '  return taken.rowCount === 1',
        ],
      ),
      shell(
        `npx vitest run ${file.replace('.ts', '.test.ts')} --repeat 100`,
        passing(file.replace('.ts', '.test.ts'), 600, 4120),
        '',
        total(600),
      ),
    ),
    answer(
      `Fixed. The database now decides: of two \`UPDATE\`s on the same row the second waits for the first and then finds \`free = 0\`.`,
      code('sql', `UPDATE ${table} SET free = free - 1 WHERE id = $1 AND free > 0`),
      `The test fails without the fix and passed 100 times with it. If you want a second belt, \`CHECK (free >= 0)\` would have turned the double ${noun} into an error.`,
    ),
  ],
}))
