// Calls and results that lack their other half, on the chain that a resume loads.
import type { ToolMend } from '../mend.ts'
import { load } from './loader.ts'
import { findUnpaired } from './unpaired.ts'

export const tools: ToolMend = { findUnpaired: log => findUnpaired(log, load(log).chain) }
