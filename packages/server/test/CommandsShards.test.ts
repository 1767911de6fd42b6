/** `pointsman shards` where it cannot act. What it does in a cluster is in `MovedWorkspaces.test.ts`. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

describe("pointsman shards without a cluster", () => {
  it("a command without a cluster, or with flags that exclude each other, says so", async () => {
    const folder = temporaryFolder()
    const citus =
      'POINTSMAN_DATABASE_DISTRIBUTED (--database-distributed): expected "citus", with the URL of a node in ' +
      "POINTSMAN_DATABASE_URL (--database-url): only a cluster has shards.\n"
    const one = "--workspace, --shard: expected one of them.\n"
    for (const [words, expected] of [
      [["list"], citus],
      [["isolate", "--workspace", "acme"], citus],
      [["move", "--workspace", "acme", "--to", "10.0.0.3:5432"], citus],
      [["rebalance"], citus],
      [["move", "--to", "a:1"], one],
      [["move", "--to", "a:1", "--workspace", "acme", "--shard", "1"], one],
      [["rebalance", "--stop", "--drain", "a:1"], "--stop, --drain: expected one of them.\n"]
    ] as const) {
      const ended = await runHere(folder, ["shards", ...words])
      assert.deepStrictEqual(ended, { code: 1, stdout: "", stderr: expected })
    }
  })

  it("a command on PostgreSQL without Citus says what is missing", async ({ skip }) => {
    if (postgresMissing !== undefined) skip(postgresMissing)
    const environment = {
      POINTSMAN_DATABASE_URL: await newDatabase(),
      POINTSMAN_DATABASE_DISTRIBUTED: "citus"
    }
    const { code, stderr } = await runHere(temporaryFolder(), ["shards", "list"], environment)
    assert.strictEqual(code, 1)
    assert.match(stderr, /has not the extension citus/u)
  })
})
