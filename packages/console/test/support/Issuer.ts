/** An OpenID Connect issuer on this machine, whose tokens a test can falsify. */
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

type Claims = Readonly<Record<string, unknown>>

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

export const client = { clientId: "console", clientSecret: "secret of <the> console" }

export const startIssuer = async () => {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const codes = new Map<string, URLSearchParams>()
  const settings = {
    /** Whom it identifies. */
    claims: { sub: "1", email: "jo@example.com", email_verified: true, name: "Jo" } as Claims,
    /** What it puts over the claims of the ID token that are about the token itself. */
    falsified: {} as Claims,
    /** Of the key that signs. */
    privateKey: keys.privateKey,
    isDown: false
  }
  const requested: Array<string> = []

  const tokenOf = (url: string, asked: URLSearchParams): string => {
    const now = Math.floor(Date.now() / 1000)
    const about = { iss: url, aud: client.clientId, iat: now, exp: now + 300, nonce: asked.get("nonce") }
    const signed = `${encoded({ alg: "ES256", kid: "1" })}.${encoded({ ...about, ...settings.claims, ...settings.falsified })}`
    const signature = sign("sha256", Buffer.from(signed), { key: settings.privateKey, dsaEncoding: "ieee-p1363" })
    return `${signed}.${signature.toString("base64url")}`
  }

  const exchange = async (url: string, request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request))
    const asked = codes.get(form.get("code") ?? "")
    codes.delete(form.get("code") ?? "")
    const [id = "", secret = ""] = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64")
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    if (id !== client.clientId || secret !== client.clientSecret)
      return json(response, 401, { error: "invalid_client" })
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    const isRight =
      asked !== undefined &&
      challenge === asked.get("code_challenge") &&
      form.get("redirect_uri") === asked.get("redirect_uri")
    if (!isRight) return json(response, 400, { error: "invalid_grant" })
    json(response, 200, { access_token: "access", token_type: "Bearer", id_token: tokenOf(url, asked) })
  }

  const server = createServer(async (request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { pathname, searchParams } = new URL(request.url ?? "", url)
    requested.push(pathname)
    if (settings.isDown) return response.writeHead(503).end()
    if (pathname === "/.well-known/openid-configuration") {
      return json(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"]
      })
    }
    if (pathname === "/jwks") {
      return json(response, 200, { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] })
    }
    if (pathname === "/token") return exchange(url, request, response)
    if (pathname === "/authorize") return response.writeHead(303, { location: authorize(searchParams) }).end()
    response.writeHead(404).end()
  })

  /** The person signs in; gives the callback's URL. */
  const authorize = (asked: URLSearchParams): string => {
    const code = `code-${codes.size}-${Math.random()}`
    codes.set(code, asked)
    return `${asked.get("redirect_uri")}?${new URLSearchParams({ code, state: asked.get("state") ?? "" })}`
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settings,
    requested,
    authorize,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>
