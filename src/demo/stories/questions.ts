// Small questions between two larger ones.
import type { Story } from '../story.ts'
import { answer, ask, code } from '../story.ts'

const short = (title: string, project: string, question: string, ...reply: string[]): Story => ({
  title,
  project,
  turns: [ask(question), answer(...reply)],
  isShort: true,
})

export const questions: Story[] = [
  short(
    'What does this regular expression do?',
    'api',
    'What does `^(?=.*\\d)(?!.*\\s).{8,}$` accept?',
    'Anything of at least eight characters that has a digit somewhere and no white space. It is often used for passwords; note that it refuses "correct horse battery staple", which is a better one.',
  ),
  short(
    'Undo the last commit',
    'shop',
    'I committed too early and did not push. How do I get back to before, with my changes?',
    code('sh', 'git reset --soft HEAD~1'),
    'Your changes are staged as they were.',
  ),
  short(
    'Rename a branch',
    'docs',
    'Rename the branch I am on to `docs/search`, also on the server?',
    code('sh', 'git branch -m docs/search', 'git push origin -u docs/search', 'git push origin --delete docs-serach'),
  ),
  short(
    'Days between two dates',
    'billing',
    'Days between two dates in JavaScript, without a library, and right in the week of the clock change?',
    code(
      'ts',
      'const days = (a: string, b: string) =>',
      "  (Date.parse(b + 'T00:00Z') - Date.parse(a + 'T00:00Z')) / 86_400_000",
    ),
    'Both are taken as UTC, which has no clock changes.',
  ),
  short(
    'Which port is in use',
    'infra',
    'Something sits on port 5432 and it is not Postgres.',
    code('sh', 'ss -ltnp "sport = :5432"'),
    'Without `sudo` you see the name only of your own processes.',
  ),
  short(
    'Plural of a count',
    'storefront',
    '"1 items" on the cart page. Shortest right way, also in Polish?',
    code('ts', "new Intl.PluralRules('pl').select(5) // 'many'"),
    'English has two forms, Polish four. Let `Intl.PluralRules` choose the key.',
  ),
  short(
    'Email address as a key?',
    'api',
    'Is an email address a good primary key?',
    'No: people change theirs, and the part before the @ may be told apart by case on some servers. Give the row an id, and put a unique index on `lower(email)`.',
  ),
  short('Cron line for weekdays', 'infra', 'Cron: weekdays at 6:30?', code('text', '30 6 * * 1-5')),
  short(
    'Naming things',
    'shop',
    'A better name for `processData(data, flag)`?',
    'What does it do to which data, and what does the flag turn on? From the call sites: `priceCart(cart, { withTax: true })`.',
  ),
  short(
    'Sticky header hides anchors',
    'docs',
    'Links to headings scroll them under the sticky header.',
    code('css', ':target { scroll-margin-top: 5rem; }'),
  ),
  short(
    'Largest folders',
    'infra',
    'What fills the disk?',
    code('sh', 'du -xh --max-depth=2 / 2>/dev/null | sort -h | tail -15'),
  ),
  short(
    'Grüße und Umlaute',
    'mobile',
    'Die Suche findet „Gruesse“ nicht, wenn man „Grüße“ eingibt. Was ist der kürzeste Weg?',
    'Beide Seiten vor dem Vergleich gleich schreiben:',
    code('ts', "const plain = (text: string) => text.normalize('NFKD').replace(/\\p{M}/gu, '').toLowerCase()"),
    '`ß` bleibt davon unberührt; ersetze es vorher durch `ss`.',
  ),
  short(
    '価格の表示',
    'storefront',
    '日本円の価格を「¥1,250」のように表示したいです。',
    code('ts', "new Intl.NumberFormat('ja-JP', { style: 'currency', currency: 'JPY' }).format(1250)"),
    '小数点以下は自動的に省かれます。',
  ),
  short(
    'Is this licence fine?',
    'mobile',
    'May we ship something under MPL-2.0 in a closed app?',
    'Yes, as long as changes to *its* files stay under the MPL and people can get them. Your own files are not affected. Ask somebody who may answer that bindingly.',
  ),
]
