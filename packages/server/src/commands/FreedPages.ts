import { type CheckLine, warning } from "./Checkup.ts"

/** Of a SQLite file that an older release created: what retention frees in it stays a part of the file. */
export const withFreedPages = <A extends { readonly lines: ReadonlyArray<CheckLine> }>(
  inspected: A,
  path: string,
  givesBack: boolean
): A => {
  if (givesBack) return inspected
  const message =
    `${path} does not shrink when records are removed. To change that, stop the server and run: sqlite3 ${path} ` +
    '"PRAGMA auto_vacuum = INCREMENTAL; VACUUM"'
  return { ...inspected, lines: [...inspected.lines, warning("database", message)] }
}
