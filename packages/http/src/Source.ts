import { Context, Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * Who a request comes from, for limits by source: the address that the connection comes from. A server behind proxies
 * that it trusts provides another one, and so does a program whose requests show no address: those are one source.
 */
export const Source = Context.Reference<(request: HttpServerRequest.HttpServerRequest) => string>(
  "pointsman/http/Source",
  { defaultValue: () => (request) => Option.getOrElse(request.remoteAddress, () => "") }
)

/**
 * Whether a request comes from one of these networks: IP addresses and CIDR ranges, as a key names them. The runtime
 * compares addresses, so the server provides it; where nobody does, no request comes from any network.
 */
export const ComesFrom = Context.Reference<
  (request: HttpServerRequest.HttpServerRequest, networks: ReadonlyArray<string>) => boolean
>("pointsman/http/ComesFrom", { defaultValue: () => () => false })
