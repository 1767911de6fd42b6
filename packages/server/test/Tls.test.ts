/** HTTPS at the server's own address: what it serves, which files it refuses, and how it takes a new certificate. */
import { generateKeyPairSync, X509Certificate } from "node:crypto"
import { once } from "node:events"
import { chmodSync } from "node:fs"
import { Agent, request } from "node:https"
import { text } from "node:stream/consumers"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { ask, dial, dialTls, statusOf } from "./support/RawSocket.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { newCertificate, writeTlsFiles } from "./support/TlsFiles.ts"
import { until } from "./support/Until.ts"

/** How often the server reads its files. */
const readEveryMillis = 2_000

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

interface Asked {
  readonly agent: Agent
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const askTls = async (url: string, { agent, body, headers = {}, method = "GET" }: Asked) => {
  const sent = request(url, { agent, method, headers })
  sent.end(body)
  const [response] = await once(sent, "response")
  const socket = response.socket as TLSSocket
  return {
    status: response.statusCode as number,
    headers: response.headers,
    isReused: sent.reusedSocket,
    fingerprint: socket.getPeerX509Certificate()?.fingerprint256,
    body: await text(response)
  }
}

/** Each request on a connection of its own, with a whole handshake. */
const onNewConnections = (ca: string) => new Agent({ ca, maxCachedSessions: 0 })

/** For either of two certificates with one name: the test compares their fingerprints itself. */
const onAnyCertificate = () => new Agent({ rejectUnauthorized: false, maxCachedSessions: 0 })

describe("HTTPS", () => {
  it("a server with a certificate takes payments over TLS, not over HTTP or TLS 1.1", async () => {
    const folder = temporaryFolder()
    const certificate = newCertificate()
    const server = await startServerHere({ folder, environment: writeTlsFiles(folder, certificate).environment })
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/u)
    assert.include(server.stdout(), `Base URL  ${server.url}`)
    const agent = onNewConnections(certificate.cert)
    const paid = await askTls(`${server.url}/api/v1/payments`, {
      agent,
      method: "POST",
      headers: { authorization: `Bearer ${server.sandboxKey}`, "content-type": "application/json" },
      body: JSON.stringify({ amount: 1000, currency: "EUR", country: "NL" })
    })
    assert.strictEqual(paid.status, 201)
    assert.match(String(paid.headers["strict-transport-security"]), /max-age=/u)
    const plain = await ask(server.url, ["GET /health/live HTTP/1.1", "Host: pay.example"])
    assert.notStrictEqual(statusOf(plain), "200")

    const old = connectTls({
      socket: await dial(server.url),
      host: "127.0.0.1",
      ca: certificate.cert,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL@SECLEVEL=0"
    })
    const [cause] = await once(old, "error")
    assert.strictEqual(cause.code, "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION")
    assert.strictEqual((await dialTls(server.url, certificate.cert)).getProtocol(), "TLSv1.3")
  })
})

const doctorLines = async (folder: string, environment: Readonly<Record<string, string>>) => {
  const { stdout } = await runHere(folder, ["doctor", "--json"], environment)
  const { checks } = JSON.parse(stdout).data as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly verdict: string; readonly says: string }>
  }
  return checks.filter(({ check }) => check === "tls")
}

describe("doctor", () => {
  it("readiness says until when a certificate is valid, and nothing without one", async () => {
    const folder = temporaryFolder()
    const { environment } = writeTlsFiles(folder, newCertificate())
    const [line] = await doctorLines(folder, environment)
    assert.strictEqual(line?.verdict, "ok")
    assert.include(line?.says, "to 2120-01-01T00:00:00.000Z")
    assert.deepStrictEqual(await doctorLines(folder, {}), [])
  })
})

describe("a certificate that cannot be served", () => {
  const good = newCertificate()
  const locked = generateKeyPairSync("ed25519").privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "visible"
  })
  const certificateName = "POINTSMAN_TLS_CERTIFICATE (--tls-certificate)"
  const keyName = "POINTSMAN_TLS_KEY (--tls-key)"

  it.each([
    ["no certificate", { cert: "visible" }, `${certificateName}: expected a certificate in PEM.`],
    ["no key", { key: "visible" }, `${keyName}: expected a private key in PEM without a passphrase.`],
    ["a key with a passphrase", { key: String(locked) }, `${keyName}: expected a private key in PEM without a pass`],
    ["the key of another one", { key: newCertificate().key }, `${keyName}: expected the private key of the certif`],
    ["a broken chain", { cert: `${good.cert}-----BEGIN CERTIFICATE-----\nvisible` }, `${certificateName}: OpenSSL does`]
  ])("%s ends the start, which names the setting", async (_what, wrong, message) => {
    const folder = temporaryFolder()
    const { environment, write } = writeTlsFiles(folder, good)
    write(wrong)
    const { code, stderr } = await runServerHere({ folder, environment })
    assert.strictEqual(code, 1)
    assert.include(stderr, message)
    const [line] = await doctorLines(folder, environment)
    assert.strictEqual(line?.verdict, "wrong")
    assert.include(line?.says, message)
    assert.notInclude(stderr + line?.says, "visible")
  })

  it("a path without a file ends the start and names the setting", async () => {
    const folder = temporaryFolder()
    const { environment } = writeTlsFiles(folder, good)
    const elsewhere = { ...environment, POINTSMAN_TLS_KEY: `${folder}/absent.key` }
    const { code, stderr } = await runServerHere({ folder, environment: elsewhere })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^POINTSMAN_TLS_KEY \(--tls-key\): \S+absent\.key cannot be read \(NotFound\)\.$/mu)
  })

  it.skipIf(process.platform === "win32").each(["0640", "0604", "0620"])(
    "a key file of mode %s ends the start until only its owner may use it",
    async (mode) => {
      const folder = temporaryFolder()
      const { environment } = writeTlsFiles(folder, good)
      chmodSync(environment.POINTSMAN_TLS_KEY, Number.parseInt(mode, 8))
      const { code, stderr } = await runServerHere({ folder, environment })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^POINTSMAN_TLS_KEY \(--tls-key\): other users .* has mode 06\d\d\. Run `chmod 600 /mu)
      chmodSync(environment.POINTSMAN_TLS_KEY, 0o600)
      await startServerHere({ folder, environment })
    }
  )
})

describe("a new certificate", () => {
  it("no request fails when the files are replaced, and new connections get them", {
    timeout: 180_000
  }, async () => {
    const folder = temporaryFolder()
    const [first, second] = [newCertificate(), newCertificate()]
    const { environment, write } = writeTlsFiles(folder, first)
    const { clock, push } = makeMovedClock()
    const server = await startServerHere({ folder, environment, clock })
    const url = `${server.url}/health/live`
    const kept = new Agent({ ca: first.cert, keepAlive: true, maxSockets: 1 })
    const fresh = onAnyCertificate()
    assert.strictEqual((await askTls(url, { agent: kept })).status, 200)
    const seen = new Set<string | undefined>()
    let asked = 0
    await until("the second certificate is served", async () => {
      if (asked === 20) write(second)
      if (asked === 22) push(readEveryMillis)
      const answers = await Promise.all([askTls(url, { agent: fresh }), askTls(url, { agent: kept })])
      for (const { status } of answers) assert.strictEqual(status, 200)
      seen.add(answers[0].fingerprint)
      assert.isTrue(answers[1].isReused)
      asked += 1
      return seen.has(fingerprintOf(second.cert))
    })
    assert.deepStrictEqual([...seen], [fingerprintOf(first.cert), fingerprintOf(second.cert)])
    assert.include(server.stderr(), "the TLS certificate was reloaded")
    kept.destroy()
  })

  it("an unfit pair leaves the old one in place, and one error is logged", {
    timeout: 180_000
  }, async () => {
    const folder = temporaryFolder()
    const [first, second] = [newCertificate(), newCertificate()]
    const { environment, write } = writeTlsFiles(folder, first)
    const { clock, push, slept } = makeMovedClock()
    const server = await startServerHere({ folder, environment, clock })
    const ask = () =>
      askTls(`${server.url}/health/live`, { agent: onAnyCertificate() }).then(({ fingerprint }) => fingerprint)
    const errors = () => server.stderr().match(/level=ERROR.*the new TLS certificate is not used.*/gu) ?? []
    const readUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
      until(what, () => {
        push(readEveryMillis)
        return isSo()
      })
    write({ cert: second.cert })
    await readUntil("an error", () => errors().length > 0)
    const readings = slept(readEveryMillis)
    await readUntil("more readings", () => slept(readEveryMillis) >= readings + 4)
    assert.lengthOf(errors(), 1)
    assert.include(errors()[0], "POINTSMAN_TLS_KEY (--tls-key): expected the private key of the certificate")
    assert.notInclude(server.stderr(), "PRIVATE KEY-")
    assert.strictEqual(await ask(), fingerprintOf(first.cert))
    write({ key: "-----BEGIN PRIVATE KEY-----" })
    await readUntil("another error", () => errors().length > 1)
    assert.include(errors()[1], "expected a private key in PEM")
    write({ key: second.key })
    await readUntil("the second pair is served", async () => (await ask()) === fingerprintOf(second.cert))
    assert.lengthOf(errors(), 2)
  })
})
