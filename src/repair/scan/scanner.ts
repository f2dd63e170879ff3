// The interface behind which sessions are scanned and repaired by the path of their file. The one in JavaScript is the first; a native one will be judged by the same suite.

export interface SessionScanResult {
  sessionId: string
  filePath: string
  status: 'healthy' | 'corrupted' | 'missing' | 'unreadable' | 'busy'
  /** From the last message to a root, or to where the chain breaks. */
  chainDepth: number
  /** Messages whose parent is nowhere in the file. */
  orphanCount: number
  fileSize: number
  messageCount: number
}

export interface SessionRepairResult {
  sessionId: string
  status: 'repaired' | 'already_healthy' | 'failed' | 'refused'
  backupPath?: string
  orphansFixed: number
  newChainDepth: number
}

export interface SessionScanner {
  /** Never changes the file, and never throws for what is wrong with it: that is the status. */
  scan(filePath: string): Promise<SessionScanResult>
  /** Keeps a backup before it changes anything. Safe to call on a healthy file, and twice. */
  repair(filePath: string): Promise<SessionRepairResult>
  /** Several at once, the results in the order of the paths. */
  scanBatch(filePaths: readonly string[]): Promise<SessionScanResult[]>
}
