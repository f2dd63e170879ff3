// What changed, in words for people.
import type { Story } from '../story.ts'
import { answer, ask, edit, shell, work } from '../story.ts'

const CASES = [
  {
    project: 'shop',
    version: '4.12',
    one: 'Prices can be given per country',
    two: 'the cart forgot its coupon after a log-in',
  },
  {
    project: 'mobile',
    version: '2026.9',
    one: 'Parcels can be scanned without a network',
    two: 'the camera stayed on in the background',
  },
  {
    project: 'api',
    version: '3.0',
    one: 'Lists are paged by a token instead of a number',
    two: 'dates before 1970 were refused',
  },
  {
    project: 'docs',
    version: '1.8',
    one: 'Every page can be read as plain Markdown',
    two: 'links inside tables lost their anchors',
  },
]

export const releaseNotes: Story[] = CASES.map(({ project, version, one, two }) => ({
  title: `Release notes for ${version}`,
  project,
  turns: [
    ask(
      `Write the release notes for ${version} from the commits since the last tag. For customers: no commit hashes, no "refactor", no exclamation marks.`,
    ),
    work(
      {},
      shell(
        "git log --format='%h %s' $(git describe --tags --abbrev=0)..HEAD",
        `e01c77d ${one}`,
        `a94b210 Fix: ${two}`,
        '55d0c1e Refactor the price table',
        '1f7e9b3 Bump the base image',
        '0c2d4aa Fix a typo in the footer',
        '93be551 Log slow queries',
      ),
    ),
    work(
      {
        thinking: 'Six commits, two that a customer would notice. The typo is not worth a line.',
        text: 'Of six commits, two are visible from outside.',
      },
      edit('CHANGELOG.md', ['# Changes'], ['# Changes', '', `## ${version}`, '', `- ${one}.`, `- Fixed: ${two}.`]),
    ),
    answer(`## ${version}`, `**New.** ${one}.`, `**Fixed.** Before, ${two}. It no longer does.`),
    ask('Shorter than I feared, good. And one sentence for the newsletter?'),
    answer(`> ${one}: that is ${version}, out today.`),
  ],
}))
