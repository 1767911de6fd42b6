/** Providers' reports about money, read row by row. */

export { formatNamed, formatOfHeader, formatsOf, reportFormats } from "./formats/index.ts"
export { entriesAtMost, type NumberedEntry, ReportUnreadable, readReport } from "./ReadReport.ts"
export { entriesOf, type FormatFault, formatOf, inspectReport, type ReportFile } from "./ReportFile.ts"
export type { Column, DocumentedFormat, ReadRecord, ReportFormat } from "./ReportFormat.ts"
export { inspectReportText, readReportText } from "./ReportText.ts"
