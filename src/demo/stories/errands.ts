// What a sub-agent was sent for: it asks nobody anything, and reports once.
import type { Story } from '../story.ts'
import { answer, ask, search, shell, work } from '../story.ts'

export const errands: Story[] = [
  {
    title: 'Find every place that formats a price',
    project: 'shop',
    turns: [
      ask(
        'Find every place that turns an amount in cents into text. Report file, line and how it rounds. Change nothing.',
      ),
      work(
        {},
        search('toFixed(2)', 'src', 'src/cart/total.ts:31', 'src/mail/receipt.ts:77', 'src/export/csv.ts:12'),
        search('NumberFormat', 'src', 'src/money/format.ts:9'),
      ),
      answer(
        'Four places: `src/money/format.ts:9` through `Intl`, and `src/cart/total.ts:31`, `src/mail/receipt.ts:77` and `src/export/csv.ts:12` with `toFixed(2)`, which rounds 1.005 down.',
      ),
    ],
  },
  {
    title: 'Which tests touch the network?',
    project: 'api',
    turns: [
      ask('Which tests open a socket to anywhere but this machine? Run the suite without a network and report.'),
      work(
        {},
        shell(
          'unshare -rn npx vitest run --reporter=dot 2>&1 | tail -4',
          '...........x....',
          'src/geo/lookup.test.ts: ENOTFOUND',
        ),
      ),
      answer('One of them: `src/geo/lookup.test.ts` asks a real server for the country of an address.'),
    ],
  },
  {
    title: 'Read the upgrade notes',
    project: 'storefront',
    turns: [
      ask('Read the upgrade notes in `node_modules/react-router/CHANGELOG.md` and list what concerns us.'),
      work({}, search('useHistory|Switch|Redirect', 'web', 'web/app.tsx:4', 'web/login.tsx:11', 'web/old/menu.tsx:2')),
      answer(
        'Three files use what is gone: `web/app.tsx`, `web/login.tsx` and `web/old/menu.tsx`. The last one is imported by nobody.',
      ),
    ],
  },
]
