/** Which encryption keys a server and `pointsman doctor` accept. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused } from "./support/CommandProcess.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const bytes = (length: number, byteAt: (at: number) => number): string =>
  Buffer.from(Array.from({ length }, (_, at) => byteAt(at) & 0xff)).toString("base64")

interface Line {
  readonly check: string
  readonly verdict: string
  readonly says: string
}

/** What `pointsman doctor` finds wrong. It ends with 1 then. */
const wrongOf = async (folder: string, environment: Record<string, string> = {}): Promise<ReadonlyArray<string>> => {
  const { stdout } = await runHere(folder, ["doctor", "--json"], environment)
  const { checks }: { readonly checks: ReadonlyArray<Line> } = JSON.parse(stdout).data
  return checks.filter(({ verdict }) => verdict === "wrong").map(({ check, says }) => `${check}: ${says}`)
}

/** A folder in which a server made its key file. */
const withKeyFile = async () => {
  const folder = temporaryFolder()
  await (await startServerHere({ folder })).stop()
  return { folder, file: join(folder, ".pointsman/pointsman.db.encryption-key") }
}

describe("encryption keys", () => {
  // Which other keys are weak or malformed is decided in core: `Secrets.test.ts`.
  it.each([
    ["descending bytes past zero", bytes(32, (at) => 5 - at * 3), ", not a key with a pattern"],
    ["64 bytes", bytes(64, (at) => at * at * 37 + 11), " base64 of 32 bytes"]
  ])("a key of %s stops the start, and doctor says why", async (_, key, expected) => {
    const folder = temporaryFolder()
    const environment = { POINTSMAN_ENCRYPTION_KEY: key }
    const exited = await runServerHere({ folder, environment })
    assertRefused(exited, /POINTSMAN_ENCRYPTION_KEY \(--encryption-key\): expected base64/u)
    assert.include(exited.stderr, expected)
    assert.notInclude(exited.stderr, key)
    const [wrong = "", ...others] = await wrongOf(folder, environment)
    assert.match(wrong, /^settings: POINTSMAN_ENCRYPTION_KEY /u)
    assert.include(wrong, expected)
    assert.deepStrictEqual(others, [])
  })

  it("a missing or other encryption key stops the start, and the right one does not", async () => {
    const { file, folder } = await withKeyFile()
    const key = readFileSync(file, "utf8").trim()
    rmSync(file)
    const without = await runServerHere({ folder })
    assertRefused(without, /^The encryption key of the database .*pointsman\.db was not found: .* is missing\./u)
    assert.isFalse(existsSync(file))
    const wrong = await runServerHere({ folder, environment: { POINTSMAN_ENCRYPTION_KEY: encryptionKeyOf("other") } })
    assertRefused(wrong, /^The encryption key does not match the database/u)
    await startServerHere({ folder, environment: { POINTSMAN_ENCRYPTION_KEY: key } })
  })

  it("a weak key in a key file stops the start and leaves the file as it is", async () => {
    const { file, folder } = await withKeyFile()
    const zeros = bytes(32, () => 0)
    writeFileSync(file, `${zeros}\n`)
    const said = /The encryption key in \S*pointsman\.db\.encryption-key has a pattern/u
    assertRefused(await runServerHere({ folder }), said)
    assert.match((await wrongOf(folder))[0] ?? "", said)
    assert.strictEqual(readFileSync(file, "utf8"), `${zeros}\n`)
  })

  it.skipIf(process.platform === "win32")(
    "a key file that others may use stops the start until only its owner may",
    async () => {
      const { file, folder } = await withKeyFile()
      for (const mode of [0o640, 0o604, 0o620, 0o644]) {
        chmodSync(file, mode)
        const exited = await runServerHere({ folder })
        assertRefused(exited, /^Other users of this machine may use the encryption key: \S*encryption-key has mode /u)
        assert.match(exited.stderr, new RegExp(` has mode 0?${mode.toString(8)}\\. .*chmod 600`, "u"))
        const [wrong] = await wrongOf(folder)
        assert.match(wrong ?? "", /^encryption key: Other users of this machine may use the encryption key/u)
      }
      chmodSync(file, 0o600)
      await startServerHere({ folder })
      assert.deepStrictEqual(await wrongOf(folder), [])
    }
  )
})
