/** What the reference says of a format, besides what its reader needs. */
import type { Column } from "./Cells.ts"
import type { ReportFormat } from "./ReportFormat.ts"

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
