/**
 * Hashes of passwords by scrypt, over `node:crypto`.
 *
 * A hash names its parameters, so that they can be raised later: `scrypt$ln=15,r=8,p=3$salt$hash`, with salt and hash
 * in base64. Each takes 32 MiB and a tenth of a second of one of Node's four threads; two are computed at once at most,
 * so that neither memory nor the threads that files need run out while an attacker guesses.
 */
import { scrypt, timingSafeEqual } from "node:crypto"
import { Passwords, PasswordsBusy, PasswordWeak } from "@pointsman/core/ports"
import { Effect, Layer, Redacted, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"

/** OWASP's recommendation of 2025 with the least memory above 16 MiB. */
const current = { ln: 15, r: 8, p: 3 }
const saltBytes = 16
const hashBytes = 32
const atOnce = 2
const strengthExpected =
  "a password that is harder to guess: longer, or less like a common password, your name, a date, a sequence or a repetition"
/** The queue takes a few seconds to work through. A request beyond it is refused, and the client may repeat it. */
const waitingAtMost = 40

interface Parts {
  readonly ln: number
  readonly r: number
  readonly p: number
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

const shape = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22}==)\$([A-Za-z0-9+/]{43}=)$/u

const parse = (text: string): Parts | undefined => {
  const [, ln, r, p, salt, hash] = shape.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64")
  }
}

const format = ({ hash, ln, p, r, salt }: Parts): string =>
  `scrypt$ln=${ln},r=${r},p=${p}$${Buffer.from(salt).toString("base64")}$${Buffer.from(hash).toString("base64")}`

/** One text in all ways of composing its letters: keyboards differ. */
const textOf = (password: Redacted.Redacted<string>): string => Redacted.value(password).normalize("NFKC")

const derive = (password: Redacted.Redacted<string>, { ln, p, r, salt }: Omit<Parts, "hash">): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    const options = { N: 2 ** ln, r, p, maxmem: 2 * 128 * r * 2 ** ln }
    scrypt(textOf(password), salt, hashBytes, options, (error, hash) =>
      resume(error === null ? Effect.succeed(hash) : Effect.die(error))
    )
  })

/** Compared with where there is no hash: no password has it, and it takes as long as a real one. */
const decoy: Parts = { ...current, salt: new Uint8Array(saltBytes), hash: new Uint8Array(hashBytes) }

export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const { withPermit } = Semaphore.makeUnsafe(atOnce)
    let waiting = 0
    const inTurn = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | PasswordsBusy> =>
      Effect.suspend((): Effect.Effect<A, E | PasswordsBusy> => {
        if (waiting >= waitingAtMost) return Effect.fail(new PasswordsBusy())
        waiting += 1
        return Effect.ensuring(
          withPermit(work),
          Effect.sync(() => {
            waiting -= 1
          })
        )
      })
    const passwords: Passwords = {
      hash: Effect.fnUntraced(function* (password, known) {
        const { isWeak } = yield* Effect.promise(() => import("./PasswordStrength.ts"))
        if (isWeak(textOf(password), known)) return yield* new PasswordWeak({ expected: strengthExpected })
        const salt = yield* Effect.orDie(random.randomBytes(saltBytes))
        return format({ ...current, salt, hash: yield* derive(password, { ...current, salt }) })
      }, inTurn),
      verify: Effect.fnUntraced(function* (password, text) {
        const parts = text === null ? undefined : parse(text)
        if (text !== null && parts === undefined)
          return yield* Effect.die(new Error("the password's hash is malformed"))
        const { hash, ...parameters } = parts ?? decoy
        return timingSafeEqual(yield* derive(password, parameters), hash) && parts !== undefined
      }, inTurn)
    }
    return Passwords.context(passwords)
  })
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
