// The programs of this folder that tests start as processes of their own.
export const TEST_PROGRAMS = [
  'cli-host',
  'decide-program',
  'measure-reading',
  'progress-program',
  'rethread-process',
] as const

export type TestProgram = (typeof TEST_PROGRAMS)[number]
