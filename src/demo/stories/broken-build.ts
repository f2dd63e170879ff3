// It builds here, but not there.
import type { Story } from '../story.ts'
import { answer, ask, blue, code, edit, failingShell, green, read, red, shell, work } from '../story.ts'

const CASES = [
  {
    project: 'infra',
    where: 'in the container',
    tool: 'docker build .',
    file: 'src/Config/load.ts',
    wrong: './config/load',
  },
  { project: 'storefront', where: 'on CI', tool: 'npm run build', file: 'src/Cart/total.ts', wrong: './cart/total' },
  {
    project: 'docs',
    where: 'on the preview host',
    tool: 'npm run site',
    file: 'src/Search/index.ts',
    wrong: './search/index',
  },
  {
    project: 'shop',
    where: 'for the new colleague',
    tool: 'npm run build',
    file: 'src/Orders/list.ts',
    wrong: './orders/list',
  },
]

export const brokenBuild: Story[] = CASES.map(({ project, where, tool, file, wrong }) => ({
  title: `Builds for me, fails ${where}`,
  project,
  turns: [
    ask(
      `\`${tool}\` works on my Mac and fails ${where} since this morning. "Cannot find module". The file is there, I can see it!`,
    ),
    work(
      {},
      failingShell(
        tool,
        `${blue('vite')} building for production...`,
        `${red('✗')} Build failed in 412ms`,
        `${red('error')} Could not resolve "${wrong}" from "src/main.ts"`,
      ),
      shell(`git ls-files src | grep -i ${file.split('/')[1]?.toLowerCase()}`, file),
    ),
    work(
      {
        thinking: 'Git has a capital letter, the import has none. A Mac does not mind, Linux does.',
        text: 'The folder has a capital letter in Git and none in the import.',
      },
      read('src/main.ts', `import { start } from '${wrong}'`, '', 'start()'),
    ),
    work(
      {},
      shell(
        `git mv ${file.split('/').slice(0, 2).join('/')} src/tmp && git mv src/tmp ${file.split('/').slice(0, 2).join('/').toLowerCase()}`,
        '',
      ),
      edit(
        'tsconfig.json',
        ['    "strict": true,'],
        ['    "strict": true,', '    "forceConsistentCasingInFileNames": true,'],
      ),
      shell(
        tool,
        `${blue('vite')} building for production...`,
        `${green('✓')} 218 modules transformed.`,
        `${green('✓')} built in 2.31s`,
      ),
    ),
    answer(
      'It builds in both places. Your disk treats `Config` and `config` as the same name, Linux does not. Git needs two steps to rename one into the other on such a disk:',
      code('sh', 'git mv src/Config src/tmp', 'git mv src/tmp src/config'),
      '`forceConsistentCasingInFileNames` makes the compiler complain on your machine, too, before you push.',
    ),
  ],
}))
