/** Several server processes behind one HTTPS address: a long run (`POINTSMAN_LONG=all`). */
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:tls"
import { assert, describe, it } from "vitest"
import { isLong } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, sharedPostgres } from "./support/PostgresServer.ts"
import { dial } from "./support/RawSocket.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"
import { newCertificate, writeTlsFiles } from "./support/TlsFiles.ts"
import { until } from "./support/Until.ts"

/** Over a connection of its own: which process answers, and with which certificate. */
const scrape = async (url: string) => {
  const socket = connect({ socket: await dial(url), host: "127.0.0.1", rejectUnauthorized: false })
  await once(socket, "secureConnect")
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  const received = await socket.setEncoding("utf8").toArray()
  return { pid: /pid="(\d+)"/u.exec(received.join(""))?.[1], fingerprint }
}

describe.skipIf(sharedPostgres.url === "" || !isLong)("HTTPS by workers", () => {
  it("each of 2 workers serves the first certificate, and the second once replaced", async () => {
    const folder = temporaryFolder()
    const [first, second] = [newCertificate(), newCertificate()]
    const { environment, write } = writeTlsFiles(folder, first)
    const server = await startServer({
      folder,
      environment: { ...environmentOn(await newDatabase()), ...environment, POINTSMAN_WORKERS: "2" }
    })
    const seen = async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => scrape(server.url)))
      assert.lengthOf([...new Set(answers.map(({ pid }) => pid))], 2)
      return [...new Set(answers.map(({ fingerprint }) => fingerprint))]
    }
    const of = ({ cert }: { readonly cert: string }) => [new X509Certificate(cert).fingerprint256]
    assert.deepStrictEqual(await seen(), of(first))
    write(second)
    await until(
      "both have reloaded it",
      () => server.stderr().match(/the TLS certificate was reloaded/gu)?.length === 2
    )
    assert.deepStrictEqual(await seen(), of(second))
    const { code } = await server.stop()
    assert.strictEqual(code, 0)
  })
})
