// Something is in the wrong place on a page.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, read, search, work } from '../story.ts'

const CASES = [
  { project: 'storefront', part: 'cart drawer', file: 'cart-drawer.css', name: 'cart-drawer', behind: 'site-header' },
  {
    project: 'storefront',
    part: 'size picker',
    file: 'size-picker.css',
    name: 'size-picker',
    behind: 'product-gallery',
  },
  { project: 'docs', part: 'version menu', file: 'version-menu.css', name: 'version-menu', behind: 'toc' },
  { project: 'mobile', part: 'date sheet', file: 'date-sheet.css', name: 'date-sheet', behind: 'tab-bar' },
]

export const cssBug: Story[] = CASES.map(({ project, part, file, name, behind }) => ({
  title: `The ${part} opens behind the ${behind.replace('-', ' ')}`,
  project,
  turns: [
    ask(
      `On Safari the ${part} opens *behind* the ${behind.replace('-', ' ')}. \`z-index: 9999\` did nothing. Chrome is fine. Screenshot is in the ticket but I guess you know the problem.`,
    ),
    work(
      {
        thinking:
          'A z-index that does nothing means another stacking context. Candidates above it: transform, filter, backdrop-filter, will-change, isolation, contain. Safari differs in backdrop-filter.',
        text: 'That sounds like a stacking context further up. Let me look for what makes one.',
      },
      search(
        'backdrop-filter|transform:|will-change|isolation|contain:',
        'web/styles',
        `web/styles/${behind}.css:9:  backdrop-filter: blur(12px);`,
        `web/styles/${behind}.css:14:  will-change: transform;`,
        `web/styles/${file}:3:  z-index: 9999;`,
        'web/styles/page.css:21:  transform: translateZ(0);',
      ),
      read(
        `web/styles/${file}`,
        `.${name} {`,
        '  position: absolute;',
        '  z-index: 9999;',
        '  inset-inline-end: 0;',
        '}',
      ),
    ),
    work(
      { text: '`transform: translateZ(0)` on the page itself is the culprit: an old trick for smooth scrolling.' },
      edit('web/styles/page.css', ['  transform: translateZ(0);', '  overflow: auto;'], ['  overflow: auto;']),
      edit(
        `web/styles/${file}`,
        ['  position: absolute;', '  z-index: 9999;'],
        ['  position: fixed;', '  z-index: var(--layer-overlay);'],
      ),
    ),
    answer(
      `The ${part} is in front again. What happened:`,
      `\`.page\` had \`transform: translateZ(0)\`. An element with a transform is a *stacking context*, so \`z-index: 9999\` counted only among the children of \`.page\`, and \`.${behind}\` is its sibling.`,
      'I also replaced the number by a name, so that the next one does not become 10000:',
      code('css', ':root {', '  --layer-sticky: 10;', '  --layer-overlay: 20;', '  --layer-toast: 30;', '}'),
    ),
    ask('Works, thanks! Why only Safari?'),
    answer(
      `Chrome drops the transform when nothing is composited, so by luck there was no stacking context. \`will-change\` on \`.${behind}\` could do the same to you one day. It is not needed either.`,
    ),
  ],
}))
