/** Which acknowledged commits their nodes lack. Of a node that does not answer nothing is said. */
import type { AcknowledgedCommit } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { Comparison } from "../LossWatch.ts"
import { bindText } from "../Rows.ts"
import { someWorkspaces } from "./ByWorkspace.ts"
import { withinLimit } from "./NodeReads.ts"

const select = `select environment, id, version from payments
  where workspace_id = $1 and id = any (array(select jsonb_array_elements_text($2::text::jsonb)))`

interface Place {
  readonly commit: AcknowledgedCommit
  readonly n: number
}

const workspaceOf = ({ commit }: Place): string => commit.workspaceId

export const comparisonOnNodes = (db: Database): Comparison => {
  const compareOne = (workspace: string, some: ReadonlyArray<Place>) => {
    const ids = JSON.stringify(some.map(({ commit }) => bindText(commit.paymentId)))
    // Not aside: a node that does not answer would keep requests from the directory.
    return Effect.map(withinLimit(db.read("lostRecords", select, [bindText(workspace), ids])), (rows) => {
      const stored = new Map(rows.map((row) => [`${row["environment"]} ${row["id"]}`, Number(row["version"])]))
      const isMissing = ({ environment, paymentId, version }: AcknowledgedCommit) =>
        (stored.get(`${environment} ${bindText(paymentId)}`) ?? 0) < version
      return { workspace, missing: some.filter(({ commit }) => isMissing(commit)).map(({ n }) => n) }
    })
  }
  return {
    isOfNodes: true,
    compare: (commits) => {
      const places = commits.map((commit, n) => ({ commit, n }))
      // Where no node answers, there is more to say of the database than this.
      const asked = Effect.orElseSucceed(someWorkspaces(places, workspaceOf, compareOne), () => [])
      return Effect.map(asked, (found) => {
        const answered = new Set(found.map(({ workspace }) => workspace))
        return {
          missing: found.flatMap(({ missing }) => missing).toSorted((a, b) => a - b),
          unanswered: places.filter((place) => !answered.has(workspaceOf(place))).map(({ n }) => n)
        }
      })
    }
  }
}
