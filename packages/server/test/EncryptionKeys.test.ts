/** Which encryption keys a server and `pointsman doctor` accept. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const base64 = (bytes: ReadonlyArray<number>): string => Buffer.from(bytes).toString("base64")
const bytes = (byteAt: (at: number) => number): string => base64(Array.from({ length: 32 }, (_, at) => byteAt(at)))

const weakKeys: ReadonlyArray<readonly [string, string]> = [
  ["only zeros", bytes(() => 0)],
  ["one repeated byte", bytes(() => 0xab)],
  ["a repeated pattern", Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")],
  ["two bytes in no order", bytes((at) => ((0b1011_0010_0111_0001 >> (at % 13)) & 1) * 7)],
  ["ascending bytes", bytes((at) => at)],
  ["descending bytes past zero", bytes((at) => (256 + 5 - at * 3) & 0xff)]
]

interface Line {
  readonly check: string
  readonly verdict: string
  readonly says: string
}

/** What `pointsman doctor` finds wrong. It ends with 1 then. */
const wrongOf = async (folder: string, environment: Record<string, string>): Promise<ReadonlyArray<string>> => {
  const { stdout } = await runHere(folder, ["doctor", "--json"], environment)
  const { checks }: { readonly checks: ReadonlyArray<Line> } = JSON.parse(stdout).data
  return checks.filter(({ verdict }) => verdict === "wrong").map(({ check, says }) => `${check}: ${says}`)
}

describe("weak encryption keys", () => {
  it.each(weakKeys)("a key of %s stops the start, and doctor says why", async (_, key) => {
    const folder = temporaryFolder()
    const environment = { POINTSMAN_ENCRYPTION_KEY: key }
    const exited = await runServerHere({ folder, environment })
    assert.strictEqual(exited.code, 1)
    assert.match(exited.stderr, /POINTSMAN_ENCRYPTION_KEY \(--encryption-key\): expected .*, not a key with a pattern/u)
    assert.notInclude(exited.stdout + exited.stderr, key)
    const [wrong, ...others] = await wrongOf(folder, environment)
    assert.match(wrong ?? "", /^settings: POINTSMAN_ENCRYPTION_KEY .*, not a key with a pattern/u)
    assert.deepStrictEqual(others, [])
  })

  it.each([0, 16, 31, 33, 64])("a key of %i bytes stops the start", async (length) => {
    const key = Buffer.from(Array.from({ length }, (_, at) => (at * at * 37 + 11) & 0xff)).toString("base64")
    const exited = await runServerHere({ environment: { POINTSMAN_ENCRYPTION_KEY: key } })
    assert.strictEqual(exited.code, 1)
    assert.match(exited.stderr, /POINTSMAN_ENCRYPTION_KEY \(--encryption-key\): expected base64 of 32 bytes/u)
  })

  it("a weak key in a key file stops the start and leaves the file as it is", async () => {
    const folder = temporaryFolder()
    await (await startServerHere({ folder })).stop()
    const file = join(folder, ".pointsman/pointsman.db.encryption-key")
    const zeros = bytes(() => 0)
    writeFileSync(file, `${zeros}\n`)
    const exited = await runServerHere({ folder })
    assert.strictEqual(exited.code, 1)
    assert.match(exited.stderr, /^The encryption key in \S*pointsman\.db\.encryption-key has a pattern/u)
    const [wrong] = await wrongOf(folder, {})
    assert.match(wrong ?? "", /^encryption key: The encryption key in .* has a pattern/u)
    assert.strictEqual(readFileSync(file, "utf8"), `${zeros}\n`)
  })

  it.skipIf(process.platform === "win32").each(["0640", "0604", "0620", "0644"])(
    "a key file of mode %s stops the start until only its owner may use it",
    async (mode) => {
      const folder = temporaryFolder()
      await (await startServerHere({ folder })).stop()
      const file = join(folder, ".pointsman/pointsman.db.encryption-key")
      chmodSync(file, Number.parseInt(mode, 8))
      const exited = await runServerHere({ folder })
      assert.strictEqual(exited.code, 1)
      assert.match(
        exited.stderr,
        /^Other users of this machine may use the encryption key: \S*encryption-key has mode 0?6\d\d\. .*chmod 600/u
      )
      const [wrong] = await wrongOf(folder, {})
      assert.match(wrong ?? "", /^encryption key: Other users of this machine may use the encryption key/u)
      chmodSync(file, 0o600)
      await startServerHere({ folder })
      assert.deepStrictEqual(await wrongOf(folder, {}), [])
    }
  )
})
