/** Providers' reports about money, read row by row. */
export type { ReadRecord, ReportFormat } from "./ReportFormat.ts"
