// THE LIST of benchmarks, in the order of the table.
import { archive } from './archive.ts'
import type { Benchmark } from './benchmark.ts'
import { checkAgain, checkFirst, checkLarge } from './check.ts'
import { checkGrown } from './check-grown.ts'
import { journal } from './journal.ts'
import { memory, show } from './large.ts'
import { listAgain, listFirst } from './list.ts'
import { openPage } from './open-page.ts'
import { opencode } from './opencode.ts'
import { repair } from './repair.ts'
import { restore } from './restore.ts'
import { sanitize } from './sanitize.ts'
import { scan } from './scan.ts'
import { search, searchLarge } from './search.ts'
import { serve } from './serve.ts'
import { start } from './start.ts'

export const benchmarks: readonly Benchmark[] = [
  listFirst,
  listAgain,
  show,
  memory,
  scan,
  checkLarge,
  checkGrown,
  checkFirst,
  checkAgain,
  repair,
  archive,
  sanitize,
  search,
  searchLarge,
  serve,
  openPage,
  journal,
  restore,
  opencode,
  start,
]
