import { Context } from "effect"

/** `req_` and a UUIDv7: the header `X-Request-Id` of this request's answer, and what its log lines carry. */
export class RequestId extends Context.Service<RequestId, string>()("pointsman/http/RequestId") {}
