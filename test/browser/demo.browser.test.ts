// The page with the demo behind it: one home, one server, one browser for all. In a full run the last test repairs
// everything.
import { describe } from 'vitest'
import { shareBrowser } from '../support/browser.ts'
import { shareDemo } from '../support/demo-stage.ts'
import { isFull } from '../support/full.ts'
import { testArchive } from './demo/archive.ts'
import { testFrame } from './demo/frame.ts'
import { testKeyboard } from './demo/keyboard.ts'
import { testMissing } from './demo/missing.ts'
import { testOrganize } from './demo/organize.ts'
import { testPhone } from './demo/phone.ts'
import { testRepair, testRepairAll } from './demo/repair.ts'
import { testSearch } from './demo/search.ts'

const browse = shareBrowser()
const browseWithGraphics = shareBrowser({ hasGraphics: true })
const stage = shareDemo()

describe('the frame', () => testFrame(browse, stage))
describe('findings and repairs', () => testRepair(browse, stage))
describe('conversations missing from their agents', () => testMissing(browse, stage))
describe('the keyboard alone', () => testKeyboard(browse, stage))
describe('a phone', () => testPhone(browseWithGraphics, stage))
describe('search', () => testSearch(browse, stage))
describe('names, tags, links and exports', () => testOrganize(browse, stage))
describe('the archive', () => testArchive(browse, stage))
if (isFull) describe('all repairs', () => testRepairAll(browse, stage))
