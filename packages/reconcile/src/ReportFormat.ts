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

export interface Column {
  /** As the provider writes it. Upper and lower case and spaces make no difference. */
  readonly name: string
  /** A report without the column is not read. */
  readonly isRequired: boolean
  /** What is read from it, for the reference. */
  readonly use: string
}

/** With what the reference says of it, besides what its reader needs. */
export interface DocumentedFormat extends ReportFormat {
  readonly provider: string
  /** As the provider calls the report. */
  readonly report: string
  readonly columns: ReadonlyArray<Column>
  /** How a row names the payment: a sentence. */
  readonly names: string
  /** What a reader of the rows has to know: whole sentences. */
  readonly notes: ReadonlyArray<string>
}

export const day = 86_400_000

export const required = (name: string, use: string): Column => ({ name, isRequired: true, use })
export const optional = (name: string, use: string): Column => ({ name, isRequired: false, use })
