// An option for Node that makes the one process it is given to say that it is an old one.

export const PRETEND_OLD = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
  )}`,
]
