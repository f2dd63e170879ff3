// A control that works with a mouse alone.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, green, read, red, shell, work } from '../story.ts'

const CASES = [
  { project: 'storefront', what: 'country picker', file: 'web/country-picker.tsx', choice: 'country' },
  { project: 'mobile', what: 'list of depots', file: 'web/depots.tsx', choice: 'depot' },
  { project: 'docs', what: 'language switch', file: 'web/language-switch.tsx', choice: 'language' },
  { project: 'billing', what: 'period filter', file: 'web/period-filter.tsx', choice: 'period' },
]

export const accessibility: Story[] = CASES.map(({ project, what, file, choice }) => ({
  title: `Keyboard and screen reader in the ${what}`,
  project,
  turns: [
    ask(
      `A customer who uses a screen reader cannot choose a ${choice}: the ${what} is "clickable clickable clickable". Make it right, without a new dependency if you can.`,
    ),
    work(
      {},
      read(
        file,
        `<div className="open" onClick={toggle}>{chosen}</div>`,
        '{isOpen && (',
        '  <div className="menu">',
        `    {all.map(one => <div onClick={() => choose(one)}>{one.name}</div>)}`,
        '  </div>',
        ')}',
      ),
      shell(
        'npx axe http://localhost:5173/settings',
        `${red('✗')} serious: elements with onClick must be reachable by keyboard (24)`,
        `${red('✗')} serious: form elements must have labels (1)`,
      ),
    ),
    work(
      {
        thinking:
          'The simplest right thing is a native select. It styles well enough, and phones show their own wheel. No ARIA at all.',
        text: `Everything here is a \`div\`. For choosing one ${choice} of a list there is an element already.`,
      },
      edit(
        file,
        [
          `<div className="open" onClick={toggle}>{chosen}</div>`,
          '{isOpen && (',
          '  <div className="menu">',
          `    {all.map(one => <div onClick={() => choose(one)}>{one.name}</div>)}`,
          '  </div>',
          ')}',
        ],
        [
          `<label htmlFor="${choice}">Your ${choice}</label>`,
          `<select id="${choice}" value={chosen} onChange={event => choose(event.target.value)}>`,
          '  {all.map(one => <option key={one.id} value={one.id}>{one.name}</option>)}',
          '</select>',
        ],
      ),
      shell('npx axe http://localhost:5173/settings', `${green('✓')} no violations found`),
    ),
    answer(
      `The ${what} is a \`<select>\` with a label. It opens with Space, finds by typing, closes with Escape, says its name and value, and on a phone it is the picker that people know. Twelve lines of script are gone.`,
      code('tsx', `<label htmlFor="${choice}">Your ${choice}</label>`),
      'If the design insists on flags in the list, `appearance: base-select` can do that in newer browsers, and the others show the plain one.',
    ),
  ],
}))
