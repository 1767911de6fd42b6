/** The API at a real socket of this process. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import type { Pointsman } from "@pointsman/core"
import { Ids } from "@pointsman/core/ports"
import * as PointsmanHttp from "@pointsman/http"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpRouter } from "effect/http"

export interface Listening {
  /** `http://127.0.0.1:` and the port. */
  readonly url: string
  readonly server: Server
  readonly close: () => Promise<void>
}

export const listen = async (pointsman: Layer.Layer<Pointsman>): Promise<Listening> => {
  const scope = Scope.makeUnsafe()
  const server = createServer()
  const routes = PointsmanHttp.layer().pipe(Layer.provide([pointsman, Ids.layer]))
  const serving = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 }))
  )
  await Effect.runPromise(Layer.buildWithScope(serving, scope))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
