// Calls and results that lack their other half, on the chain that a resume loads.
import type { ToolRepair } from '../../../repair.ts'
import { load } from '../../loader/index.ts'
import { findUnpaired } from './unpaired.ts'

export const tools: ToolRepair = { findUnpaired: log => findUnpaired(log, load(log).chain) }
