/** `pointsman shards` where it cannot act. What it does in a cluster is in `MovedWorkspaces.test.ts`. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["list"],
  ["isolate", "--workspace", "acme"],
  ["move", "--workspace", "acme", "--to", "10.0.0.3:5432"],
  ["rebalance"]
]

describe("pointsman shards without a cluster", () => {
  it("a command without a cluster names the setting", async () => {
    const folder = temporaryFolder()
    for (const words of commands) {
      const { code, stderr, stdout } = await runHere(folder, ["shards", ...words])
      assert.deepStrictEqual(
        [code, stdout, stderr],
        [
          1,
          "",
          'POINTSMAN_DATABASE_DISTRIBUTED (--database-distributed): expected "citus", with the URL of a node in ' +
            "POINTSMAN_DATABASE_URL (--database-url): only a cluster has shards.\n"
        ],
        words.join(" ")
      )
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

  it("flags that exclude each other are named", async () => {
    const folder = temporaryFolder()
    for (const [words, expected] of [
      [["move", "--to", "a:1"], "--workspace, --shard: expected one of them.\n"],
      [["move", "--to", "a:1", "--workspace", "acme", "--shard", "1"], "--workspace, --shard: expected one of them.\n"],
      [["rebalance", "--stop", "--drain", "a:1"], "--stop, --drain: expected one of them.\n"]
    ] as const) {
      const { code, stderr } = await runHere(folder, ["shards", ...words])
      assert.deepStrictEqual([code, stderr], [1, expected])
    }
  })
})
