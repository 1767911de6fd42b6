/** Who can read what the server and its PostgreSQL database say: `sslmode`, and what the server says of it. */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { Result } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { type Certificate, selfSigned } from "../../transport-node/test/Certificates.ts"
import { connectionFault, readDatabase } from "../src/DatabaseUrl.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { environmentOn, newDatabase, sharedPostgres } from "./support/PostgresServer.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { runServer, temporaryFolder } from "./support/ServerProcess.ts"

const remedy = "set sslmode=verify-full in POINTSMAN_DATABASE_URL (--database-url)"

const warningsOf = (stderr: string): ReadonlyArray<string> =>
  stderr.split("\n").filter((line) => line.includes("level=WARN") && line.includes("sslmode"))

const doctorWarnings = async (folder: string, environment: Readonly<Record<string, string>>) => {
  const { stdout } = await runHere(folder, ["doctor", "--json"], environment)
  const checks: ReadonlyArray<{ readonly verdict: string; readonly says: string }> = JSON.parse(stdout).data.checks
  return checks.filter(({ says, verdict }) => verdict === "warning" && says.includes("sslmode")).map(({ says }) => says)
}

/**
 * What a database hears: it takes TLS with the certificate, or declines it, and keeps the first message, in which a client
 * names its user and its database.
 */
const startListener = async (certificate: Certificate | undefined) => {
  const heard: Array<string> = []
  const hear = (socket: Socket) => {
    socket.on("error", () => {})
    socket.once("data", (startup) => {
      heard.push(String(startup))
      socket.destroy()
    })
  }
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (first) => {
      // SSLRequest
      if (first.length !== 8) {
        heard.push(String(first))
        return void socket.destroy()
      }
      socket.write(certificate === undefined ? "N" : "S")
      hear(certificate === undefined ? socket : new TLSSocket(socket, { ...certificate, isServer: true }))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    heard,
    environment: (mode: string) =>
      environmentOn(`postgres://somebody:visible@127.0.0.1:${port}/payments?sslmode=${mode}`)
  }
}

describe.skipIf(sharedPostgres.url === "")("a database on another machine", () => {
  /** An address of this machine that is none of loopback by its text. */
  const elsewhere = async (search = "") => {
    const url = new URL(await newDatabase())
    return { here: url.href, there: url.href.replace(/@[^/:]+:/u, "@0.0.0.0:") + search }
  }

  it("a server without sslmode and doctor warn once, and not on loopback", async () => {
    const folder = temporaryFolder()
    const { here, there } = await elsewhere()
    const server = await startServerHere({ folder, environment: environmentOn(there) })
    const [warned, ...more] = warningsOf(server.stderr())
    assert.match(
      warned ?? "",
      /the connection to postgres:\/\/0\.0\.0\.0:\d+\/\w+ is not encrypted: set sslmode=verify-full/u
    )
    assert.deepStrictEqual(more, [])
    const [said, ...others] = await doctorWarnings(folder, environmentOn(there))
    assert.isTrue(said?.endsWith(`is not encrypted: ${remedy}`), said)
    assert.deepStrictEqual(others, [])
    await server.stop()
    const near = await startServerHere({ folder, environment: environmentOn(here) })
    assert.deepStrictEqual(warningsOf(near.stderr()), [])
    assert.deepStrictEqual(await doctorWarnings(folder, environmentOn(here)), [])
  })
})

describe("what doctor says of an sslmode", () => {
  it.each([
    ["db.example:1/x?sslmode=disable", /^the connection to \S+ is not encrypted: set/u],
    ["db.example:1/x?sslmode=prefer", /is not encrypted if the other end declines TLS: set/u],
    ["db.example:1/x?sslmode=require", /^sslmode=require protects the connection/u],
    ["localhost:1/x?host=db.example", /is not encrypted: set/u],
    ["db.example:1/x?sslmode=verify-full&sslmode=disable", /is not encrypted: set/u],
    ["db.example:1/x?sslmode=verify-full", undefined],
    ["localhost:1/x", undefined],
    ["[::1]:1/x", undefined],
    ["127.0.0.2:1/x", undefined],
    ["%2Fvar%2Frun%2Fpostgresql/x", undefined],
    ["db.example:1/x?host=/var/run/postgresql", undefined]
  ])("%s warns of what is open", (rest, expected) => {
    const database = Result.getOrThrow(readDatabase(`postgres://somebody:visible@${rest}`))
    const fault = database._tag === "Postgres" ? connectionFault(database) : "not read"
    if (expected === undefined) return assert.isUndefined(fault)
    assert.match(fault ?? "", expected)
    assert.notInclude(fault ?? "", "visible")
  })
})

describe("sslmode", () => {
  it.each(["require", "verify-ca", "verify-full"])(
    "%s: an untrusted certificate ends the server, which sends no user name",
    async (mode) => {
      const { environment, heard } = await startListener(selfSigned("127.0.0.1"))
      const { code, stderr } = await runServerHere({ environment: environment(mode) })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^The database postgres:\S+ cannot be used: /mu)
      assert.deepStrictEqual(heard, [])
    }
  )

  it("verify-full sends no user name to a database that declines TLS; prefer does", async () => {
    const { environment, heard } = await startListener(undefined)
    const folder = temporaryFolder()
    assert.strictEqual((await runServerHere({ folder, environment: environment("verify-full") })).code, 1)
    assert.deepStrictEqual(heard, [])
    assert.strictEqual((await runServerHere({ folder, environment: environment("prefer") })).code, 1)
    assert.include(heard[0], "somebody")
  })

  it("verify-full sends the user name only to the trusted host that it names", async () => {
    const heardBy = async (address: string) => {
      const certificate = selfSigned(address)
      const { environment, heard } = await startListener(certificate)
      const folder = temporaryFolder()
      const authorities = join(folder, "ca.pem")
      writeFileSync(authorities, certificate.cert)
      const { code } = await runServer({
        folder,
        environment: { ...environment("verify-full"), NODE_EXTRA_CA_CERTS: authorities }
      })
      assert.strictEqual(code, 1)
      return heard.join("")
    }
    assert.include(await heardBy("127.0.0.1"), "somebody")
    assert.strictEqual(await heardBy("127.0.0.2"), "")
  })
})
