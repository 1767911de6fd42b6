/** The v1 payment API over HTTP: its routes, and the tables that its documentation is made from. */
export * as CardNumbers from "./CardNumbers.ts"
export * from "./ErrorTable.ts"
export * as InProcess from "./InProcess.ts"
export { openApiDocument } from "./openapi/Document.ts"
export * from "./PointsmanHttp.ts"
export * as RateLimit from "./RateLimit.ts"
export { RequestId } from "./RequestId.ts"
export type { Paths } from "./Routes.ts"
