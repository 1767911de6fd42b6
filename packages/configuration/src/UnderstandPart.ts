/** Parts of the configuration that an operator states without a file: its shape and its checks, without `$env`. Pure. */
import type { Environment, RoutingSettings } from "@pointsman/core"
import { Result } from "effect"
import { checkEvents, checkRouting } from "./CheckConfiguration.ts"
import { type ConnectionFile, decodeConnection, decodeRouting, decodeWebhook } from "./ConfigurationFile.ts"
import { type OpenConnection, openConnectionOf, routingSettingsOf } from "./ConfiguredDirectory.ts"
import type { Decoded, Mistake } from "./DecodeFile.ts"

const checked = <A>(part: A, mistakes: ReadonlyArray<Mistake>): Decoded<A> =>
  mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(part)

/** `connections`: those of the workspace. */
export const understandRouting = (
  json: unknown,
  environment: Environment,
  connections: ReadonlyArray<Pick<ConnectionFile, "id" | "environment">>
): Decoded<RoutingSettings> =>
  Result.flatMap(decodeRouting(json), (file) =>
    checked(routingSettingsOf(file), checkRouting(file, connections, environment, []))
  )

/** Without its credentials, which its connector checks. */
export const understandConnection = (json: unknown, workspaceId: string): Decoded<OpenConnection> =>
  Result.map(decodeConnection(json), (file) => openConnectionOf({ id: workspaceId }, file))

export interface UnderstoodEndpoint {
  readonly url: string
  readonly events: ReadonlyArray<string>
}

/** The server makes its secret. */
export const understandEndpoint = (json: object): Decoded<UnderstoodEndpoint> =>
  Result.flatMap(decodeWebhook({ ...json, secret: "of the server" }), (file) =>
    checked({ url: file.url, events: file.events ?? ["*"] }, checkEvents(file, []))
  )
