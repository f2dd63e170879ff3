// Somebody needs one more field, from the table to the form.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, passing, read, search, shell, total, work } from '../story.ts'

interface Field {
  project: string
  thing: string
  table: string
  field: string
  column: string
  why: string
}

const FIELDS: Field[] = [
  {
    project: 'shop',
    thing: 'Product',
    table: 'products',
    field: 'price',
    column: 'price_cents',
    why: 'Amounts are in cents, please, no floats anywhere.',
  },
  {
    project: 'billing',
    thing: 'Invoice',
    table: 'invoices',
    field: 'discount',
    column: 'discount_cents',
    why: 'Sales wants to give one to schools. It must never make the total negative.',
  },
  {
    project: 'api',
    thing: 'Customer',
    table: 'customers',
    field: 'credit limit',
    column: 'credit_limit_cents',
    why: 'Old clients of the API do not send it, so it has to be optional.',
  },
  {
    project: 'mobile',
    thing: 'Parcel',
    table: 'parcels',
    field: 'weight',
    column: 'weight_grams',
    why: 'The scanners in the warehouse already send it and we throw it away.',
  },
]

export const newField: Story[] = FIELDS.map(({ project, thing, table, field, column, why }) => {
  const file = `src/${table}/${thing.toLowerCase()}.ts`
  const name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    title: `Add a ${field} to ${thing.toLowerCase()}s`,
    project,
    turns: [
      ask(`We need a ${field} on ${thing}: table, model, API and the form. ${why}`),
      work(
        {
          thinking: `First I want to see how the model is validated and where ${thing} is built, so that the new field is not forgotten in one of the places. Whole numbers in the smallest unit, as asked.`,
          text: `I'll look at how ${thing} is defined and where it is made.`,
        },
        read(
          file,
          "import { z } from 'zod'",
          '',
          `export const ${thing.toLowerCase()}Shape = z.object({`,
          '  id: z.uuid(),',
          '  name: z.string().min(1),',
          '  createdAt: z.iso.datetime(),',
          '})',
          '',
          `export type ${thing} = z.infer<typeof ${thing.toLowerCase()}Shape>`,
        ),
        search(
          `${thing.toLowerCase()}Shape`,
          'src',
          `${file}:3:export const ${thing.toLowerCase()}Shape = z.object({`,
          `src/routes/${table}.ts:14:  const body = ${thing.toLowerCase()}Shape.parse(await request.json())`,
          `src/${table}/import.ts:41:    rows.push(${thing.toLowerCase()}Shape.parse(row))`,
        ),
      ),
      work(
        { text: 'Two places parse it: the route and the import. The migration first.' },
        edit(
          `migrations/0042_${column}.sql`,
          [''],
          [`ALTER TABLE ${table} ADD COLUMN ${column} integer;`, `ALTER TABLE ${table} ADD CHECK (${column} >= 0);`],
        ),
        edit(
          file,
          ['  name: z.string().min(1),'],
          ['  name: z.string().min(1),', `  ${name}: z.int().nonnegative().optional(),`],
        ),
      ),
      work(
        {},
        shell(
          `npm test -- ${table}`,
          passing(`src/${table}/${thing.toLowerCase()}.test.ts`, 14, 212),
          passing(`src/routes/${table}.test.ts`, 22, 871),
          passing(`src/${table}/import.test.ts`, 6, 95),
          '',
          total(42),
        ),
      ),
      answer(
        `${thing} has a ${field} now.`,
        [
          `- \`${column}\` is a whole number and may be missing; the table refuses anything below zero.`,
          `- The route and the import both accept it, because they share \`${thing.toLowerCase()}Shape\`.`,
          '- Nothing else reads it yet.',
        ].join('\n'),
        'To fill it for what is already there:',
        code('sql', `UPDATE ${table} SET ${column} = 0 WHERE ${column} IS NULL;`),
      ),
      ask('Good. And in the form? People will type 12,50 with a comma.'),
      work(
        { thinking: 'A text input with inputmode decimal, parsed on submit. Number() would give NaN for a comma.' },
        edit(
          `web/${table}/form.tsx`,
          ['<TextField name="name" required />'],
          ['<TextField name="name" required />', `<AmountField name="${name}" decimals={2} />`],
        ),
        edit(
          'web/forms/parse-amount.ts',
          ['  return Math.round(Number(text) * 100)'],
          [
            "  const [whole = '', part = ''] = text.trim().replace(',', '.').split('.')",
            '  if (!/^\\d+$/.test(whole) || !/^\\d{0,2}$/.test(part)) return undefined',
            "  return Number(whole) * 100 + Number(part.padEnd(2, '0'))",
          ],
        ),
      ),
      work({}, shell('npm test -- web/forms', passing('web/forms/parse-amount.test.ts', 9, 31), '', total(9))),
      answer(
        'The form takes `12,50` and `12.50`, and says so when it cannot make sense of what was typed. I parse the two halves as whole numbers; `12.35 * 100` is `1235.0000000000002`, and sooner or later somebody is charged for that.',
      ),
    ],
  }
})
