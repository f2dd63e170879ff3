// A dependency that moved on.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, failingShell, passing, red, search, shell, total, work, yellow } from '../story.ts'

const CASES = [
  { project: 'api', name: 'zod', from: '3.25.76', to: '4.6.7', old: 'z.string().uuid()', fresh: 'z.uuid()', count: 31 },
  {
    project: 'storefront',
    name: 'react-router',
    from: '6.30.1',
    to: '7.9.4',
    old: 'useHistory()',
    fresh: 'useNavigate()',
    count: 12,
  },
  {
    project: 'shop',
    name: 'vitest',
    from: '3.2.4',
    to: '5.1.0',
    old: 'vi.fn().mockRestore()',
    fresh: 'vi.restoreAllMocks()',
    count: 58,
  },
  {
    project: 'docs',
    name: 'eslint',
    from: '8.57.1',
    to: '9.38.0',
    old: '.eslintrc.json',
    fresh: 'eslint.config.js',
    count: 2,
  },
]

export const upgrade: Story[] = CASES.map(({ project, name, from, to, old, fresh, count }) => ({
  title: `Upgrade ${name} from ${from.split('.')[0]} to ${to.split('.')[0]}`,
  project,
  turns: [
    ask(
      `Please take ${name} from ${from} to ${to}. One commit for the upgrade, one for what it breaks, so that I can review them apart.`,
    ),
    work(
      { text: 'The upgrade alone first, to see what falls over.' },
      shell(
        `npm install ${name}@${to}`,
        'changed 4 packages in 3s',
        '',
        `${yellow('npm warn')} deprecated inflight@1.0.6: This module is not supported`,
        '',
        '41 packages are looking for funding',
      ),
      failingShell(
        'npm run types',
        `src/shapes.ts(14,9): ${red('error TS2551')}: Property does not exist. See the upgrade notes of ${name} ${to.split('.')[0]}.`,
        `src/routes/index.ts(88,21): ${red('error TS2345')}: Argument is not assignable.`,
        `Found ${count} errors in 9 files.`,
      ),
    ),
    work(
      {
        thinking: `${count} errors, but probably only two or three kinds. Group them before touching anything.`,
        text: `${count} errors. How many different ones?`,
      },
      shell(
        "npm run types 2>&1 | grep -o 'TS[0-9]*' | sort | uniq -c",
        `     ${String(count - 1).padStart(2)} TS2551`,
        '      1 TS2345',
      ),
      search(old, 'src', `src/shapes.ts:14:  id: ${old},`, `src/orders/shape.ts:8:  order: ${old},`),
    ),
    work(
      {},
      edit('src/shapes.ts', [`  id: ${old},`], [`  id: ${fresh},`]),
      edit('src/orders/shape.ts', [`  order: ${old},`], [`  order: ${fresh},`]),
      shell(
        'npm run types && npm test',
        passing('src/shapes.test.ts', 40, 120),
        passing('src/routes/index.test.ts', 77, 1904),
        '',
        total(117),
      ),
    ),
    answer(
      `${name} is at ${to}, in two commits:`,
      code('text', `7c1e0aa  ${name} ${to}`, `b20f9d3  ${old} is ${fresh} now`),
      `All ${count} errors were the same rename but one: \`src/routes/index.ts:88\` passed a value that the old types let through and the new ones rightly refuse. It could be \`undefined\` there; I added the check.`,
    ),
    ask('That one was a real bug then? Since when?'),
    work(
      {},
      shell(
        "git log -1 --format='%h %ad %s' --date=short -L88,88:src/routes/index.ts | head -1",
        '19ab4f2 2025-03-14 Search by customer',
      ),
    ),
    answer(
      'Since `19ab4f2` in March of last year: a search without a customer answered 500. There is a test for it now.',
    ),
  ],
}))
