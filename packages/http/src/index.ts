/** The v1 payment API over HTTP: its routes, and the tables that its documentation is made from. */

export { ComesFrom, Source } from "./AuthorizeRequest.ts"
export * from "./ErrorTable.ts"
export * as InProcess from "./InProcess.ts"
export { decodeRefund } from "./OperationRequest.ts"
export { openApiDocument } from "./openapi/Document.ts"
export * from "./PointsmanHttp.ts"
export * as RateLimit from "./RateLimit.ts"
export { RequestId } from "./Report.ts"
export type { Paths } from "./Routes.ts"
