// The tables of the search index. Everything in them is derived: the file may be deleted at any time.

/** Part of the file's name. Raise it whenever a row, a word or a place means something else. */
export const SEARCH_INDEX_VERSION = 2

/**
 * Words are gathered in memory up to this size before they are written: fewer and larger pieces on the disk.
 */
const GATHERED_BYTES = 16 * 1024 * 1024

/**
 * `words` has no content of its own: a row of it is found by its words and leads to the row of
 * `parts` with the same id. `text` has the words as they are written, `pieces` the pieces of
 * identifiers and CJK words, `facets` the session and the role. Ids grow with the time of the
 * message, so the newest matches are found first without sorting.
 */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL,
  identity TEXT NOT NULL,
  title TEXT,
  project TEXT,
  messages INTEGER NOT NULL,
  last INTEGER NOT NULL,
  checkpoint TEXT
);
CREATE INDEX IF NOT EXISTS identities ON sessions (key, identity);
CREATE TABLE IF NOT EXISTS parts (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  message INTEGER NOT NULL,
  part INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  size INTEGER NOT NULL,
  time INTEGER,
  start INTEGER,
  length INTEGER,
  place TEXT
);
CREATE INDEX IF NOT EXISTS parts_of_message ON parts (session, hash);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
  text, pieces, facets,
  content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2"
);
INSERT INTO words (words, rank) VALUES ('hashsize', ${GATHERED_BYTES});
`
