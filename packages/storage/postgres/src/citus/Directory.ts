/**
 * Writes of the directory, whose tables every node has: one statement writes one of them. Servers that listen to another
 * node are told nothing, and see a new version within a second.
 */
import { Effect } from "effect"
import { type DirectoryWrites, newVersion, recordAccountStep, tellOthers, writeEach } from "../Directory.ts"
import { bindText } from "../Rows.ts"

/** As the plain one, of one endpoint: the statement names its workspace. */
const resume = `update deliveries set state = 'Due', due_at = $4
  where workspace_id = $1 and environment = $2 and endpoint_id = $3 and state = 'GivenUp' and state <> ''
    and exists (
      select 1 from delivery_attempts as last
      where last.workspace_id = $1 and last.environment = $2
        and last.delivery_id = deliveries.id and last.number = deliveries.attempts
        and last.failure = 'EndpointWithdrawn'
    )`

export const directoryWrites: DirectoryWrites = {
  contents: (query, doc) =>
    Effect.gen(function* () {
      yield* query(newVersion)
      for (const statement of writeEach) yield* query(statement, [doc])
      yield* query(tellOthers)
    }),
  resume: (query, endpoints, at) =>
    Effect.forEach(
      endpoints,
      ({ environment, id, workspaceId }) =>
        query(resume, [bindText(workspaceId), environment, bindText(id), String(at)]),
      { discard: true }
    ),
  account: (query, values) =>
    Effect.gen(function* () {
      yield* query(newVersion)
      yield* query(recordAccountStep, values)
      yield* query(tellOthers)
    }),
  isOneStatement: false
}
