// Conversations that are deleted, searched for and organized, on the page with a demo of their own behind it.
import { describe } from 'vitest'
import { shareBrowser } from '../support/browser.ts'
import { shareDemo } from '../support/demo-stage.ts'
import { testArchive } from './demo/archive.ts'
import { testOrganize } from './demo/organize.ts'
import { testSearch } from './demo/search.ts'

const browse = shareBrowser()
const stage = shareDemo()

describe('the archive', () => testArchive(browse, stage))
describe('search', () => testSearch(browse, stage))
describe('names, tags, links and exports', () => testOrganize(browse, stage))
