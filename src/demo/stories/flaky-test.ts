// A test that fails on some days.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, failing, failingShell, passing, read, shell, total, work } from '../story.ts'

const CASES = [
  { project: 'api', what: 'session expiry', file: 'src/auth/expiry.test.ts', test: 'logs out after 30 minutes' },
  {
    project: 'billing',
    what: 'month-end report',
    file: 'src/reports/month-end.test.ts',
    test: 'closes on the last day',
  },
  { project: 'shop', what: 'flash sale', file: 'src/offers/flash-sale.test.ts', test: 'ends at midnight' },
  { project: 'mobile', what: 'sync backoff', file: 'src/sync/backoff.test.ts', test: 'waits longer each time' },
]

export const flakyTest: Story[] = CASES.map(({ project, what, file, test }) => ({
  title: `Flaky test: ${what}`,
  project,
  turns: [
    ask(
      `\`${file}\` fails about once in twenty runs on CI and never on my machine. I am tired of pressing "re-run". Find out why, please do not just add a retry.`,
    ),
    work(
      {
        thinking:
          'Once in twenty smells of the clock: a test that crosses a second, or an hour, or the zone that CI runs in. Let me run it many times and with another time zone before reading much.',
        text: 'Let me see whether I can make it fail first.',
      },
      failingShell(
        `for i in $(seq 20); do TZ=Pacific/Auckland npx vitest run ${file} || break; done`,
        passing(file, 7, 44),
        passing(file, 7, 41),
        failing(file, test),
        '',
        '   AssertionError: expected 1699 to be 1700',
        '',
        '   - Expected   1700',
        '   + Received   1699',
        '',
        total(6, 1),
      ),
    ),
    work(
      { text: 'There it is, off by one. What does the test do with the time?' },
      read(
        file,
        `test('${test}', () => {`,
        '  const started = Date.now()',
        '  const entry = open(started)',
        '  vi.advanceTimersByTime(30 * 60_000)',
        '  expect(entry.secondsLeft()).toBe(Math.floor((started + LIMIT - Date.now()) / 1000))',
        '})',
      ),
    ),
    answer(
      'Found it. The test asks for the time three times:',
      [
        '1. `started` is taken from the real clock,',
        '2. `secondsLeft()` asks again inside,',
        '3. the expectation asks a third time.',
      ].join('\n'),
      'When a second passes between 2 and 3, the two are cut down to different whole numbers. On a loaded CI machine that happens now and then; on yours almost never.',
      'I would give `secondsLeft` the time instead of letting it ask, so that the test says when "now" is:',
      code('ts', 'secondsLeft(now: number = Date.now()): number'),
      'Shall I?',
    ),
    ask('Yes. Are there others like it?'),
    work(
      {},
      edit(
        file,
        [
          '  const started = Date.now()',
          '  const entry = open(started)',
          '  vi.advanceTimersByTime(30 * 60_000)',
          '  expect(entry.secondsLeft()).toBe(Math.floor((started + LIMIT - Date.now()) / 1000))',
        ],
        ['  const entry = open(0)', '  expect(entry.secondsLeft(30 * 60_000)).toBe(1700)'],
      ),
      shell("grep -rn 'Date.now()' --include='*.test.ts' src | wc -l", '3'),
    ),
    work(
      {},
      shell(
        `for i in $(seq 200); do TZ=Pacific/Auckland npx vitest run ${file} >/dev/null || echo failed; done; echo done`,
        'done',
      ),
    ),
    answer(
      'Two hundred runs in the zone where it failed, none failed. Three other tests call `Date.now()`, but they only compare it with itself, so I left them alone.',
    ),
  ],
}))
