/**
 * Which server the commands for developers speak to, and how. They are clients like any other: what they do is done by
 * the API of a running server, here or elsewhere, whatever its database is.
 */
import { environmentOfApiKey, withoutTrailingSlashes } from "@pointsman/core/internal"
import { Config, Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { sandboxKeyFile } from "../Demo.ts"
import { readSecretFile } from "../SecretFile.ts"
import { readSettings, variables } from "../Settings.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { textFlag } from "./CommandHelp.ts"
import { printable } from "./Words.ts"

/** What `pointsman dev` says of itself while it runs. Relative to the working folder, as the default database is. */
export const devFile = ".pointsman/dev.json"

const DevFile = Schema.Struct({ url: Schema.String, key: Schema.String })
export const formatDevFile = Schema.encodeSync(Schema.fromJsonString(DevFile))
const readDevFile = Schema.decodeUnknownOption(Schema.fromJsonString(DevFile))

export const serverFlags = {
  url: textFlag(
    "url",
    "url",
    "Base URL of the server [POINTSMAN_URL, default: that of a running `pointsman dev`, or local port 3000]"
  ),
  key: textFlag(
    "key",
    "key",
    "API key; prefer the variable: other users of the machine can see flags [POINTSMAN_API_KEY, default: " +
      "the key in .pointsman]"
  )
}

export interface LocalServer {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: Redacted.Redacted<string>
}

interface Given {
  readonly url: Option.Option<string>
  readonly key: Option.Option<string>
}

/** From the flags, then from the environment, then from what a server left in `.pointsman`. */
export const findServer = Effect.fnUntraced(function* (given: Given) {
  const fromFlags = yield* Effect.all({
    url: orVariable(given.url, "POINTSMAN_URL"),
    key: orVariable(given.key, "POINTSMAN_API_KEY")
  })
  const dev = yield* runningDev
  const url = Option.match(fromFlags.url, {
    onNone: () => Option.match(dev, { onNone: () => defaultUrl, onSome: ({ url }) => url }),
    onSome: withoutTrailingSlashes
  })
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/u.test(parsed.protocol) || parsed.username !== "" || parsed.search !== "") {
    return yield* new CommandFailure({
      message: "POINTSMAN_URL (--url): expected an absolute http or https URL without user or query."
    })
  }
  // The file may have come with the folder: a key of the environment is not for whomever it names.
  if (Option.isNone(fromFlags.url) && !isThisMachine(parsed)) {
    return yield* new CommandFailure({
      message:
        `${devFile} refers to ${printable(url)}, which is not on this machine. If the server is yours, pass ` +
        "it with --url."
    })
  }
  const key = Option.isSome(fromFlags.key) ? fromFlags.key.value : yield* keyOfFolder(parsed, url, dev)
  if (environmentOfApiKey(key) === undefined) {
    return yield* new CommandFailure({
      message: "POINTSMAN_API_KEY (--key): expected an API key beginning with ps_test_ or ps_live_."
    })
  }
  return { url, key: Redacted.make(key, { label: "API key" }) } satisfies LocalServer
})

/** Only a server of this machine receives the contents of its folder. */
const keyOfFolder = Effect.fnUntraced(function* (parsed: URL, url: string, dev: Option.Option<typeof DevFile.Type>) {
  if (isLoopback(parsed)) {
    if (Option.isSome(dev) && dev.value.url === url) return dev.value.key
    const { database } = yield* Effect.orElseSucceed(readSettings({}), () => ({ database: variables.database.absent }))
    const stored =
      database._tag === "SqliteFile"
        ? yield* Effect.orElseSucceed(readSecretFile(sandboxKeyFile(database.path)), () => Option.none<string>())
        : Option.none<string>()
    if (Option.isSome(stored)) return stored.value
  }
  return yield* new CommandFailure({
    message:
      "POINTSMAN_API_KEY (--key): expected an API key of the server, and .pointsman holds none. Start a " +
      "sandbox with `pointsman dev`, or pass the key of another server."
  })
})

const defaultUrl = `http://127.0.0.1:${variables.port.absent}`

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/u.test(hostname)

/** Also where a server listens at every address. */
const isThisMachine = (url: URL): boolean => isLoopback(url) || url.hostname === "0.0.0.0" || url.hostname === "[::]"

const orVariable = (flag: Option.Option<string>, variable: string) =>
  Option.isSome(flag) ? Effect.succeed(flag) : Effect.orDie(Config.option(Config.String(variable)))

/** What a `pointsman dev` left, whether it runs or not. */
export const runningDev = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(devFile))
  return Option.flatMap(text, readDevFile)
})

/** Whether a server of Pointsman answers there within two seconds. */
export const isAlive = (url: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(`${url}/health/live`, { signal, redirect: "manual" })
    return answer.ok && Option.isSome(readLive(await answer.text()))
  }).pipe(
    Effect.timeout("2 seconds"),
    Effect.orElseSucceed(() => false)
  )

const Live = Schema.Struct({ status: Schema.Literal("live") })
const readLive = Schema.decodeUnknownOption(Schema.fromJsonString(Live))

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** How long a server may take to answer, in milliseconds: a payment may ask one provider after the other. */
const answerWithinMillis = 120_000

/** Whether the server did what was asked is not known; nothing is sent again. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("pointsman/server/NoAnswer", { message: Schema.String }) {}

export const ask = (
  { key, url }: LocalServer,
  method: "GET" | "POST",
  path: string,
  body?: unknown
): Effect.Effect<Answer, NoAnswer> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        signal,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${Redacted.value(key)}`,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: answer.status, body: jsonOf(await answer.text()) } satisfies Answer
    },
    catch: () =>
      new NoAnswer({
        message: `No response from ${url}. Start a server with \`pointsman dev\`, or pass another URL with --url.`
      })
  }).pipe(
    Effect.timeoutOrElse({
      duration: answerWithinMillis,
      orElse: () => Effect.fail(new NoAnswer({ message: `No response from ${url} within two minutes.` }))
    })
  )

/** The same, where the command needs an answer. */
export const call = (...question: Parameters<typeof ask>): Effect.Effect<Answer, CommandFailure> =>
  Effect.matchEffect(ask(...question), {
    onFailure: ({ message }) => Effect.fail(new CommandFailure({ message })),
    onSuccess: (answer) => (answer.status === 401 ? Effect.fail(keyRefused(question[0])) : Effect.succeed(answer))
  })

export const keyRefused = ({ url }: LocalServer): CommandFailure =>
  new CommandFailure({
    message: `${url} rejected the API key. POINTSMAN_API_KEY (--key): expected a key of that server.`
  })

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ErrorBody = Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })
const readError = Schema.decodeUnknownOption(ErrorBody)

/** The error code and message of an answer, if it is one of the API's. */
export const errorOf = ({ body }: Answer): { readonly code: string; readonly message: string } | undefined =>
  Option.getOrUndefined(readError(body))?.error
