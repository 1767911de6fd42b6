/** A format of report: which provider writes it, and how a row of it is read. */
import type { ReportEntry } from "@pointsman/core/connector"

/** Reads the next record. `undefined`: a record that moves no money, such as a header, a total or a footer. */
export type ReadRecord = (record: ReadonlyArray<string>, row: number) => ReportEntry | undefined

export interface ReportFormat {
  /** As it is named on the command line: `stripe-balance`, `adyen-settlement-details`. */
  readonly name: string
  /** Kinds of connections whose provider writes it. */
  readonly kinds: ReadonlyArray<string>
  /** The provider's page that documents the columns. */
  readonly page: string
  /** How long after a capture the provider may take to report it, in milliseconds. After that it is missing there. */
  readonly delayMillis: number
  /** Of the file: `,` or `;` or a tab. */
  readonly delimiter: string
  /**
   * A reader of one report, given its first record. It fails with the name of a column that is missing. It may remember
   * what it has read: a report is always read from its beginning.
   */
  readonly open: (header: ReadonlyArray<string>) => ReadRecord | { readonly missing: string }
}
