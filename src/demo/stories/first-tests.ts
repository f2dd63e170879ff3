// Code that nobody dared to touch gets its first tests.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, failing, failingShell, passing, read, shell, total, work } from '../story.ts'

const CASES = [
  {
    project: 'billing',
    what: 'tax rounding',
    file: 'src/tax/round.ts',
    name: 'roundTax',
    input: '2.675',
    wrong: '2.67',
    right: '2.68',
  },
  {
    project: 'shop',
    what: 'shipping rules',
    file: 'src/shipping/cost.ts',
    name: 'shippingCost',
    input: '29.9',
    wrong: '0',
    right: '4.90',
  },
  {
    project: 'mobile',
    what: 'postcode parser',
    file: 'src/address/postcode.ts',
    name: 'parsePostcode',
    input: "'01067'",
    wrong: '1067',
    right: "'01067'",
  },
  {
    project: 'docs',
    what: 'heading slugs',
    file: 'src/render/slug.ts',
    name: 'slugOf',
    input: "'Über uns'",
    wrong: "'-ber-uns'",
    right: "'uber-uns'",
  },
]

export const firstTests: Story[] = CASES.map(({ project, what, file, name, input, wrong, right }) => ({
  title: `First tests for the ${what}`,
  project,
  turns: [
    ask(
      `\`${file}\` has no tests and everybody is afraid of it. Write some that say what it does *today*, bugs included, and mark what looks like a bug. Do not change it yet.`,
    ),
    work(
      {},
      read(
        file,
        `export function ${name}(value) {`,
        '  // do not touch!!! (2019)',
        '  var x = value;',
        '  if (x == null) return 0;',
        '  // …',
        '}',
      ),
      shell(`grep -rn '${name}(' src --include='*.ts' | grep -v test | wc -l`, '17'),
    ),
    work(
      {
        thinking:
          'Seventeen callers. Cases: ordinary, null, empty, negative, the border. I write down what it returns now and use test.fails for what cannot be meant.',
        text: 'Seventeen callers, so caution is right. I feed it ordinary and odd values and write down what comes out.',
      },
      edit(
        file.replace('.ts', '.test.ts'),
        [''],
        [
          'test.each([',
          '  [null, 0],',
          '  [undefined, 0],',
          `  [${input}, ${wrong}], // looks wrong: ${right}`,
          `])('${name}(%j) is %j today', (value, expected) => {`,
          `  expect(${name}(value)).toEqual(expected)`,
          '})',
        ],
      ),
      failingShell(
        `npx vitest run ${file.replace('.ts', '.test.ts')}`,
        failing(file.replace('.ts', '.test.ts'), `${name}(undefined) is 0 today`),
        '   AssertionError: expected undefined to deeply equal 0',
        total(8, 1),
      ),
    ),
    work(
      { text: 'Even better: `undefined` goes another way than `null`. Written down as it is.' },
      edit(
        file.replace('.ts', '.test.ts'),
        ['  [undefined, 0],'],
        ['  [undefined, undefined], // looks wrong: 0, as for null'],
      ),
      shell(
        `npx vitest run ${file.replace('.ts', '.test.ts')}`,
        passing(file.replace('.ts', '.test.ts'), 9, 12),
        '',
        total(9),
      ),
    ),
    answer(
      `Nine tests, all green, none of which says that \`${name}\` is *right*. Two look like bugs:`,
      [
        `1. \`${name}(${input})\` gives \`${wrong}\`, I would expect \`${right}\`.`,
        `2. \`${name}(undefined)\` gives \`undefined\`, while \`null\` gives 0.`,
      ].join('\n'),
      'Whoever fixes one of them changes one line of the tests, and the reviewer sees exactly what changes for customers:',
      code('diff', `-  [${input}, ${wrong}],`, `+  [${input}, ${right}],`),
    ),
  ],
}))
