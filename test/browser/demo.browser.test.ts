// The page with the demo behind it: one home, one server, one browser for all. In a full run the last test repairs
// everything.
import { describe } from 'vitest'
import { shareBrowser } from '../support/browser.ts'
import { shareDemo } from '../support/demo-stage.ts'
import { isFull } from '../support/full.ts'
import { testFrame } from './demo/frame.ts'
import { testKeyboard } from './demo/keyboard.ts'
import { testMissing } from './demo/missing.ts'
import { testPhone } from './demo/phone.ts'
import { testRepair, testRepairAll } from './demo/repair.ts'

const browse = shareBrowser()
const browseWithGraphics = shareBrowser({ hasGraphics: true })
const stage = shareDemo()

describe('the frame', () => testFrame(browse, stage))
describe('findings and repairs', () => testRepair(browse, stage))
describe('conversations missing from their agents', () => testMissing(browse, stage))
describe('the keyboard alone', () => testKeyboard(browse, stage))
describe('a phone', () => testPhone(browseWithGraphics, stage))
if (isFull) describe('all repairs', () => testRepairAll(browse, stage))
