/**
 * The server's processes are killed, all at once, while many commits are under way, and started again: what was
 * acknowledged is there, what was refused is not, and what is unknown is there whole or not at all.
 */
import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { withStorage } from "./Given.ts"
import { findBinaries, startPostgres } from "./support/EmbeddedPostgres.ts"
import { rounds, survives } from "./support/Killed.ts"

const binaries = findBinaries()

/** On a disk that is waited for: otherwise nothing would have to survive. */
const newServer = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => startPostgres("native" in binaries ? binaries.native : "", { fsync: true })),
    (server) => Effect.promise(server.stop)
  ),
  ({ kill, restart, url }) => ({ kill, restart, holder: Redacted.make(url) })
)

describe.skipIf("missing" in binaries)("a killed server", () => {
  it.live(
    "commits in flight match their caller's response after a kill of the server",
    () => Effect.flatMap(newServer, (server) => withStorage({ url: server.holder })(survives(server))),
    60_000 + rounds * 20_000
  )
})
