/** The console inside of a program: its settings, and what a framework calls. */
import type { IncomingMessage, ServerResponse } from "node:http"

export interface ConsoleOptions {
  /** The whole path of the console, such as `/admin/desk`; `/` for a host of its own. */
  readonly mount: string
  /** What browsers see before `mount`, and the program does not: Next's `basePath`, or a path that a proxy takes off. */
  readonly basePath?: string | undefined
  /**
   * Whether browsers reach it by https. Unless set, `true` if `baseUrl` is an https URL, and otherwise taken from each
   * request. Behind a proxy that ends TLS, set it to `true`.
   */
  readonly isSecure?: boolean | undefined
  /**
   * Finds the client's address in a request to `listener`; sign-ins are limited by it. Unless set, the address of the
   * connection, which is the proxy's behind a proxy. In Express: `(request: express.Request) => request.ip`, with
   * `trust proxy` set. A method, so that its parameter may be a framework's own type of request.
   */
  sourceOf?(request: IncomingMessage): string | undefined
}

export interface MountedConsole {
  /**
   * For what brings a `Request`: Hono, Next's route handlers. `source` is the client's address, by which sign-ins are
   * limited; requests without it share one limit.
   */
  readonly handler: (request: Request, from?: { readonly source?: string | undefined }) => Promise<Response>
  /**
   * For Node's own requests: `createServer(desk.listener)`, `app.use(desk.listener)` of Express. With `next`, paths outside
   * of the mount go there. It may come before or after body parsers.
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
}
