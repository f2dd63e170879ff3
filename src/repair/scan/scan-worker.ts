// A thread that scans parts of a large log. It loads nothing but the kernel, so that it starts fast.
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import { openFile } from '../../disk/files/read.ts'
import { serveCalls } from '../../threads/serve.ts'
import type { PartData, PartOrder } from './scanned-part.ts'
import { scanPart } from './scanned-part.ts'

let kernel: Kernel | undefined

const calls = {
  scan: async (order: PartOrder): Promise<PartData | undefined> => {
    kernel ??= loadScanner(order.module)
    if (kernel === undefined) return undefined
    const file = openFile(order.path, order.storeRoot)
    try {
      return scanPart(kernel, file, order)
    } finally {
      file.close()
    }
  },
}
export type ScanCalls = typeof calls

serveCalls(calls)
