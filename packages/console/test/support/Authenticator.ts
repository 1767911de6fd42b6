/** A passkey in memory: what a browser and its device answer to the options of the console (WebAuthn Level 3). */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { dataOf } from "./Responses.ts"
import { cookieOf, type World } from "./World.ts"

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest()

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>

/** RFC 8949, of what an attestation holds. */
const cbor = (value: Cbor): Buffer => {
  const head = (major: number, size: number): Buffer =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
}

/** What a site or a device may do wrong. */
export interface Falsified {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly userHandle?: string
  /** User present 1, user verified 4. */
  readonly flags?: number
  readonly counter?: number
}

export const newAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const id = base64url(randomBytes(32))
  let counter = 0
  let userHandle = ""

  const clientData = (type: string, challenge: string, falsified: Falsified) =>
    Buffer.from(
      JSON.stringify({
        type: falsified.type ?? type,
        challenge: falsified.challenge ?? challenge,
        origin: falsified.origin ?? origin,
        crossOrigin: false
      })
    )
  const authenticatorData = (rpId: string, flags: number, falsified: Falsified, more: Uint8Array = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    counter += 1
    count.writeUInt32BE(falsified.counter ?? counter)
    return Buffer.concat([sha256(falsified.rpId ?? rpId), Buffer.from([falsified.flags ?? flags]), count, more])
  }
  const coseKey = () => {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" })
    const bytes = (text: string) => Buffer.from(text, "base64url")
    return cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)]
      ])
    )
  }
  const credential = { id, rawId: id, type: "public-key" }
  return {
    id,
    // biome-ignore lint/suspicious/noExplicitAny: options as JSON.
    register: (options: any, falsified: Falsified = {}) => {
      userHandle = options.user.id
      const rawId = Buffer.from(id, "base64url")
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, rawId.length]), rawId, coseKey()])
      const flags = (falsified.flags ?? 0x05) | 0x40
      const authData = authenticatorData(options.rp.id, flags, { ...falsified, flags }, attested)
      const attestation = new Map<string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData]
      ])
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", options.challenge, falsified)),
          attestationObject: base64url(cbor(attestation)),
          transports: ["internal"]
        }
      }
    },
    // biome-ignore lint/suspicious/noExplicitAny: options as JSON.
    signIn: (options: any, falsified: Falsified = {}) => {
      const data = clientData("webauthn.get", options.challenge, falsified)
      const authData = authenticatorData(options.rpId, 0x05, falsified)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authData),
          signature: base64url(sign("sha256", Buffer.concat([authData, sha256(data)]), privateKey)),
          userHandle: falsified.userHandle ?? userHandle
        }
      }
    }
  }
}

export type Authenticator = ReturnType<typeof newAuthenticator>

const optionsFor = async (here: World, path: string, cookie?: string) =>
  dataOf(await here.send(`${path}/options`, { method: "POST", cookie }))

/** Adds the passkey in this session, by these options or new ones. */
export const addPasskey = async (
  here: World,
  cookie: string,
  passkey: Authenticator,
  name = "Laptop",
  given?: unknown
) => {
  // biome-ignore lint/suspicious/noExplicitAny: options as JSON.
  const options: any = given ?? (await optionsFor(here, "/api/passkeys", cookie))
  const body = { name, challenge: options.challenge, response: passkey.register(options) }
  return here.send("/api/passkeys", { cookie, body })
}

/** Gives the cookie of the new session. */
export const signInBy = async (here: World, passkey: Authenticator): Promise<string> => {
  const options = await optionsFor(here, "/api/session/passkey")
  const body = { challenge: options.challenge, response: passkey.signIn(options) }
  return cookieOf(await here.send("/api/session/passkey", { body }))
}
