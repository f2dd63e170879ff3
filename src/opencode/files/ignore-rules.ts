// The rules of the .gitignore files of a repository. Deeper and later rules win.
import type { OpenFolder } from '../../disk/files/walk-folder.ts'
import { matchesPath } from '../../model/glob.ts'
import { MAX_IGNORE_BYTES } from './limits.ts'

interface Rule {
  isKept: boolean
  isForFolders: boolean
  steps: string[]
}

interface FolderRules {
  /** The path from the root, without a slash at its end. */
  folder: string
  rules: Rule[]
}

const RULE_FILES = ['.gitignore', '.ignore']
/** Never shown, whatever the rules say. */
export const NEVER = new Set(['.git', '.DS_Store'])
/** Never entered, also where no rule says so. */
const TOO_MUCH = new Set(['node_modules'])

/** The rules of one folder: its own and those of all folders above it, up to the root of the walk. */
export class IgnoreRules {
  readonly #stack: readonly FolderRules[]
  readonly #isAllIgnored: boolean

  private constructor(stack: readonly FolderRules[], isAllIgnored: boolean) {
    this.#stack = stack
    this.#isAllIgnored = isAllIgnored
  }

  static none(): IgnoreRules {
    return new IgnoreRules([], false)
  }

  /** `path`: of the folder, from the root. Everything in an ignored folder is ignored. */
  inside(path: string, folder: OpenFolder): IgnoreRules {
    const isAllIgnored = path !== '' && this.isIgnored(path, true)
    const rules = RULE_FILES.flatMap(name => parseRules(folder.begin(name, MAX_IGNORE_BYTES)))
    const stack = rules.length === 0 ? this.#stack : [...this.#stack, { folder: path, rules }]
    return new IgnoreRules(stack, isAllIgnored)
  }

  isIgnored(path: string, isFolder: boolean): boolean {
    if (this.#isAllIgnored) return true
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (isFolder && TOO_MUCH.has(name)) return true
    for (const { folder, rules } of this.#stack.toReversed()) {
      const below = folder === '' ? path : path.slice(folder.length + 1)
      const rule = rules.findLast(candidate => isAbout(candidate, below, isFolder))
      if (rule !== undefined) return !rule.isKept
    }
    return false
  }
}

function isAbout(rule: Rule, path: string, isFolder: boolean): boolean {
  return (isFolder || !rule.isForFolders) && matchesPath(rule.steps, path.split('/'))
}

function parseRules(bytes: Buffer | undefined): Rule[] {
  if (bytes === undefined) return []
  // A rule that the limit cut in two would have another meaning.
  const whole = bytes.length < MAX_IGNORE_BYTES ? bytes : bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  return whole
    .toString('utf8')
    .split('\n')
    .flatMap(line => parseRule(line) ?? [])
}

export function parseRule(line: string): Rule | undefined {
  const text = withoutEnd(line.endsWith('\r') ? line.slice(0, -1) : line)
  if (text === '' || text.startsWith('#')) return undefined
  const isKept = text.startsWith('!')
  const pattern = isKept ? text.slice(1) : text
  const isForFolders = pattern.endsWith('/')
  const named = isForFolders ? pattern.slice(0, -1) : pattern
  if (named === '') return undefined
  // With a slash it matches this path; without one, this name anywhere below.
  const isHere = named.includes('/')
  const steps = named.replace(/^\//, '').split('/')
  return { isKept, isForFolders, steps: isHere ? withInside(steps) : ['**', ...steps] }
}

/** Removes spaces at the end unless escaped. By hand: a pattern takes quadratic time on a line of spaces. */
function withoutEnd(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--
  return line.slice(0, end)
}

/** `a/**` is what is in the folder, not the folder. */
function withInside(steps: string[]): string[] {
  return steps.at(-1) === '**' ? [...steps, '*'] : steps
}
