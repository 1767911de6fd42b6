/** Who runs a command, for the audit trail. */
import { userInfo } from "node:os"
import { AuditActor } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"

export const byFlag = Flag.String("by").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Your name, for the audit trail; default: the user of the operating system"),
  Flag.filterMap(
    (name) => (name.trim() !== "" && Array.from(name).length <= 120 ? Option.some(name) : Option.none()),
    () => "a name of 1 to 120 characters"
  ),
  Flag.optional
)

export const actorOf = (by: Option.Option<string>): string => Option.getOrElse(by, systemUser)

export const actingAs =
  (by: Option.Option<string>) =>
  <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => Effect.provideService(act, AuditActor, actorOf(by)))

/** A user of a container may have no name. */
const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`
  }
}
