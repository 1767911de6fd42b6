/**
 * What the ledger says of a commit on a disk that fails, against what a crash leaves: `StorageError` means that it was
 * surely not written, success that it surely was. A crash is a copy of the files as they are, without the index of the
 * log that only living processes share: the opener reads the log from its beginning.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { readId } from "../src/Rows.ts"
import { type DiskFault, diskFaults, diskFaultsMissing } from "./DiskFaults.ts"

const missing = diskFaultsMissing()
const script = fileURLToPath(new URL("DiskFaultsProcess.ts", import.meta.url))

interface Said {
  readonly id: string
  readonly said: string
}

const startLedger = () => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-sqlite-"))
  const filename = join(folder, "pointsman.db")
  const disk = diskFaults(filename)
  const child: ChildProcess = spawn(process.execPath, ["--conditions=@pointsman/source", script, filename], {
    env: { ...process.env, ...disk.environment },
    stdio: ["pipe", "pipe", "inherit"]
  })
  const over = new Promise((resolve) => child.once("close", resolve))
  onTestFinished(async () => {
    disk.heal()
    child.stdin?.end()
    await over
    rmSync(folder, { recursive: true })
  })
  if (child.stdin === null || child.stdout === null) throw new Error("the process has no pipes")
  const { stdin } = child
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (order: object) => {
    stdin.write(`${JSON.stringify(order)}\n`)
    const { done, value } = await answers.next()
    if (done === true) throw new Error("the process ended")
    return JSON.parse(value)
  }
  return {
    disk,
    commit: (commit: number): Promise<ReadonlyArray<Said>> => ask({ commit }),
    /** Those of the payments that the process finds. */
    stored: (ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => ask({ stored: ids }),
    /** Of the database itself, in bytes. */
    size: () => statSync(filename).size,
    /** The payments that there are after a crash. */
    afterCrash: (): ReadonlySet<string> => {
      const copy = join(folder, "crashed.db")
      for (const part of ["", "-wal"]) copyFileSync(`${filename}${part}`, `${copy}${part}`)
      const db = new DatabaseSync(copy)
      try {
        return new Set(
          db
            .prepare("select id from payments")
            .all()
            .map(({ id }) => readId(id))
        )
      } finally {
        db.close()
        for (const part of ["", "-wal", "-shm"]) rmSync(`${copy}${part}`, { force: true })
      }
    }
  }
}

const idsOf = (all: ReadonlyArray<Said>, said: string) => all.filter((one) => one.said === said).map(({ id }) => id)

/** One commit of three changes under the fault, and what a crash makes of it, at once and after the next commit. */
const commitUnder = async (ledger: ReturnType<typeof startLedger>, fault: DiskFault) => {
  const earlier = await ledger.commit(1)
  ledger.disk.fail(fault)
  const all = await ledger.commit(3)
  ledger.disk.heal()
  const failed = ledger.disk.failed()
  const where = `${JSON.stringify(fault)}: ${all.map(({ said }) => said).join(", ")}`
  const crashed = ledger.afterCrash()
  for (const id of [...idsOf(earlier, "written"), ...idsOf(all, "written")]) assert.isTrue(crashed.has(id), where)
  for (const id of idsOf(all, "pointsman/StorageError")) assert.isFalse(crashed.has(id), where)
  // Without a crash, what was not confirmed is not there, and the next commit takes its place for good.
  assert.deepStrictEqual(await ledger.stored(all.map(({ id }) => id)), idsOf(all, "written"), where)
  const next = await ledger.commit(1)
  assert.deepStrictEqual(
    next.map(({ said }) => said),
    ["written"],
    where
  )
  const later = ledger.afterCrash()
  for (const { id } of next) assert.isTrue(later.has(id), where)
  for (const { id, said } of all) assert.strictEqual(later.has(id), said === "written", where)
  return {
    failed,
    said: [...new Set(all.map(({ said }) => said))],
    inCrash: all.filter(({ id }) => crashed.has(id)).length
  }
}

describe.skipIf(missing !== undefined)(
  `a ledger on a disk that fails${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    it("a commit is surely not written if any of its writes finds a full disk", {
      timeout: 180_000
    }, async () => {
      const ledger = startLedger()
      let writes = 0
      for (; ; writes++) {
        const { failed, said } = await commitUnder(ledger, {
          call: "write",
          file: "-wal",
          code: "full",
          after: writes,
          times: 1
        })
        if (failed.length === 0) {
          assert.deepStrictEqual(said, ["written"])
          break
        }
        assert.deepStrictEqual([failed, said], [["write -wal"], ["pointsman/StorageError"]])
      }
      // Two for each page that a commit touches.
      assert.isAtLeast(writes, 10)
    })

    it("no response denies a write on a broken disk", async () => {
      const ledger = startLedger()
      for (const after of [0, 1, 7, 11]) {
        const { failed, said } = await commitUnder(ledger, {
          call: "write",
          file: "-wal",
          code: "broken",
          after,
          times: 1
        })
        assert.deepStrictEqual([failed, said], [["write -wal"], ["pointsman/CommitUnknown"]])
      }
    })

    it("a crash after a failed flush brings back what was not confirmed, or not", async () => {
      const ledger = startLedger()
      for (const code of ["broken", "full"] as const) {
        for (const isLost of [false, true]) {
          const { failed, inCrash, said } = await commitUnder(ledger, { call: "sync", file: "-wal", code, isLost })
          assert.deepStrictEqual([failed, said], [["sync -wal"], ["pointsman/CommitUnknown"]])
          assert.strictEqual(inCrash, isLost ? 0 : 3)
        }
      }
    })

    it("a crash after a failed flush and a full disk brings back the first at most", async () => {
      const ledger = startLedger()
      const written = idsOf(await ledger.commit(2), "written")
      ledger.disk.fail({ call: "sync", file: "-wal", code: "broken" })
      const unknown = idsOf(await ledger.commit(2), "pointsman/CommitUnknown")
      ledger.disk.fail({ call: "write", file: "-wal", code: "full" })
      const refused = idsOf(await ledger.commit(2), "pointsman/StorageError")
      assert.deepStrictEqual([written.length, unknown.length, refused.length], [2, 2, 2])
      assert.deepStrictEqual(ledger.afterCrash(), new Set([...written, ...unknown]))
      ledger.disk.heal()
      const later = idsOf(await ledger.commit(1), "written")
      assert.deepStrictEqual(ledger.afterCrash(), new Set([...written, ...later]))
    })

    it("nothing written is lost when the disk fails as the log is carried over", async () => {
      const ledger = startLedger()
      const written = [...idsOf(await ledger.commit(1), "written")]
      const commitUntil = async (isSo: () => boolean) => {
        // The log is carried over when it holds a thousand pages: a batch adds a few dozen.
        for (let batch = 0; !isSo(); batch++) {
          assert.isBelow(batch, 100)
          const all = await ledger.commit(100)
          assert.lengthOf(idsOf(all, "written"), 100)
          written.push(...idsOf(all, "written"))
        }
        assert.deepStrictEqual(ledger.afterCrash(), new Set(written))
      }
      const faults: ReadonlyArray<DiskFault> = [
        { call: "any", file: "-", code: "full" },
        { call: "sync", file: "-", code: "broken", isLost: true }
      ]
      for (const fault of faults) {
        ledger.disk.fail(fault)
        await commitUntil(() => ledger.disk.failed().length > 0)
        ledger.disk.heal()
        const size = ledger.size()
        await commitUntil(() => ledger.size() > size)
      }
    })
  }
)
