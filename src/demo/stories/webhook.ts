// Messages from somebody else's server.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, failing, failingShell, passing, read, shell, total, work } from '../story.ts'

const CASES = [
  { project: 'billing', who: 'payment provider', header: 'x-pay-signature', path: 'src/hooks/payment.ts' },
  { project: 'shop', who: 'parcel service', header: 'x-parcel-signature', path: 'src/hooks/parcel.ts' },
  { project: 'infra', who: 'registry', header: 'x-registry-signature', path: 'src/hooks/image.ts' },
  { project: 'api', who: 'identity provider', header: 'x-idp-signature', path: 'src/hooks/identity.ts' },
]

export const webhook: Story[] = CASES.map(({ project, who, header, path }) => ({
  title: `Webhook of the ${who}: signature never matches`,
  project,
  turns: [
    ask(
      `We refuse every call of the ${who}: "bad signature". Secret is right, I checked three times. HMAC-SHA256 over the body, hex, in \`${header}\`.`,
    ),
    work(
      {},
      read(
        path,
        'app.use(express.json())',
        '',
        "app.post('/hook', (request, response) => {",
        "  const mine = createHmac('sha256', SECRET).update(JSON.stringify(request.body)).digest('hex')",
        `  if (mine !== request.headers['${header}']) return response.status(401).end()`,
        '  handle(request.body)',
        '})',
      ),
    ),
    work(
      {
        thinking:
          'They sign the bytes as sent. Here the body is parsed and written again: other spacing, other escapes, perhaps another order of keys. Must use the raw bytes. And compare in constant time.',
        text: 'I think I see it. A test with a body as they would send it:',
      },
      edit(
        path.replace('.ts', '.test.ts'),
        [''],
        [
          `const BODY = '{ "amount": 1250, "note": "Gr\\u00fc\\u00dfe" }'`,
          "test('accepts a body as it was sent', async () => {",
          '  expect((await post(BODY, sign(BODY))).status).toBe(204)',
          '})',
        ],
      ),
      failingShell(
        `npx vitest run ${path.replace('.ts', '.test.ts')}`,
        failing(path.replace('.ts', '.test.ts'), 'accepts a body as it was sent'),
        '   AssertionError: expected 401 to be 204',
        total(3, 1),
      ),
    ),
    work(
      {},
      edit(
        path,
        [
          "  const mine = createHmac('sha256', SECRET).update(JSON.stringify(request.body)).digest('hex')",
          `  if (mine !== request.headers['${header}']) return response.status(401).end()`,
          '  handle(request.body)',
        ],
        [
          "  const mine = createHmac('sha256', SECRET).update(request.body).digest()",
          `  const theirs = Buffer.from(String(request.headers['${header}']), 'hex')`,
          '  if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs)) return response.status(401).end()',
          '  handle(JSON.parse(request.body))',
        ],
      ),
      shell(
        `npx vitest run ${path.replace('.ts', '.test.ts')}`,
        passing(path.replace('.ts', '.test.ts'), 4, 77),
        '',
        total(4),
      ),
    ),
    answer(
      'It matches now. The signature is over the **bytes**, and the bytes were gone: `express.json()` parsed them, and `JSON.stringify` wrote others. Same meaning, other spaces, another hash.',
      code('ts', "app.use('/hook', express.raw({ type: 'application/json' }))"),
      'The comparison takes the same time for every wrong signature now, so nobody can guess it letter by letter.',
    ),
  ],
}))
