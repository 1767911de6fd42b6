/** Which acknowledged commits their nodes lack. Of a node that does not answer nothing is said. */
import type { AcknowledgedCommit } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { MissingOf } from "../LossWatch.ts"
import { bindText } from "../Rows.ts"
import { someWorkspaces } from "./ByWorkspace.ts"

const select = `select environment, id, version from payments
  where workspace_id = $1 and id = any (array(select jsonb_array_elements_text($2::text::jsonb)))`

export const missingOnNodes =
  (db: Database): MissingOf =>
  (commits) =>
    Effect.map(
      someWorkspaces(
        commits.map((commit, n) => ({ commit, n })),
        ({ commit }) => commit.workspaceId,
        (workspace, some) => {
          const ids = JSON.stringify(some.map(({ commit }) => bindText(commit.paymentId)))
          return Effect.map(db.read("lostRecords", select, [bindText(workspace), ids], true), (rows) => {
            const stored = new Map(rows.map((row) => [`${row["environment"]} ${row["id"]}`, Number(row["version"])]))
            const isMissing = ({ environment, paymentId, version }: AcknowledgedCommit) =>
              (stored.get(`${environment} ${bindText(paymentId)}`) ?? 0) < version
            return some.filter(({ commit }) => isMissing(commit)).map(({ n }) => n)
          })
        }
      ),
      (found) => found.flat().toSorted((a, b) => a - b)
    )
