import { type CheckLine, warning } from "./Checkup.ts"

/** Of a SQLite file that an older release created: what retention frees in it stays a part of the file. */
export const freedPagesLines = (path: string, givesBack: boolean): ReadonlyArray<CheckLine> =>
  givesBack
    ? []
    : [
        warning(
          "database",
          `${path} does not shrink when records are removed. To change that, stop the server and run: sqlite3 ${path} ` +
            '"PRAGMA auto_vacuum = INCREMENTAL; VACUUM"'
        )
      ]
