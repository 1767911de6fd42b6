/**
 * A real Chromium for tests: the one that `CHROMIUM_PATH` names, else one on the path, else the one that a
 * dependency brings for Linux. Where none starts, a suite is skipped and says why; with `CI` set that is a failure,
 * because nobody reads there what was skipped. The dependency is not optional: npm omits an optional one in silence where
 * the installing Node is older than it requires.
 */
import { existsSync } from "node:fs"
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { delimiter, dirname, join, resolve } from "node:path"
import { type Browser, chromium as playwright } from "playwright-core"
import { afterAll, describe } from "vitest"

/**
 * A suite of its own browser, which is closed behind it. The browser is there from the collecting of the tests on, so
 * that it is known by then whether they can run: `await describeInChromium("the page", (browser) => { … })`.
 */
export const describeInChromium = async (name: string, suite: (browser: Browser) => void): Promise<void> => {
  const started = await startChromium()
  if ("reason" in started) {
    if (process.env["CI"] !== undefined) throw new Error(`${name}: ${started.reason}`)
    console.warn(`Skipped: ${name}. ${started.reason}`)
    // The tests are named but not run, so no browser is ever asked for.
    describe.skip(`${name} (skipped: ${started.reason})`, () => suite(undefined as never))
    return
  }
  describe(name, () => {
    afterAll(() => started.browser.close())
    suite(started.browser)
  })
}

export const startChromium = async (): Promise<{ readonly browser: Browser } | { readonly reason: string }> => {
  const refusals: Array<string> = []
  for (const candidate of candidates()) {
    try {
      const { env, executablePath } = await candidate.find()
      // Without arguments of our own, also for the packaged one: those that come with it put everything into one
      // process, which does not survive a second context, and switch off the web's own safeguards.
      const browser = await playwright.launch({ executablePath, env: { ...process.env, ...env }, timeout: 20_000 })
      return { browser }
    } catch (cause) {
      refusals.push(`${candidate.name}: ${firstLine(cause)}`)
    }
  }
  return { reason: `no Chromium starts (${refusals.join("; ")}); CHROMIUM_PATH may name one` }
}

interface Found {
  readonly executablePath: string
  readonly env?: Record<string, string>
}

interface Candidate {
  readonly name: string
  readonly find: () => Promise<Found>
}

/** One that is named is the only one: a test that quietly ran in another browser would prove something else. */
const candidates = (): ReadonlyArray<Candidate> => {
  const named = process.env["CHROMIUM_PATH"]
  if (named !== undefined && named !== "") {
    return [{ name: "CHROMIUM_PATH", find: async () => ({ executablePath: named }) }]
  }
  return [
    { name: "the path", find: findOnPath },
    { name: "@sparticuz/chromium", find: unpack }
  ]
}

const commands = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

const findOnPath = async (): Promise<Found> => {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const command of folder === "" ? [] : commands) {
      const executablePath = join(folder, command)
      const isExecutable = await access(executablePath, constants.X_OK).then(
        () => true,
        () => false
      )
      if (isExecutable) return { executablePath }
    }
  }
  throw new Error(`none of ${commands.join(", ")}`)
}

const require = createRequire(import.meta.url)

/**
 * The package takes a browser that is there for whole, and another test may be unpacking it at this moment. So it is
 * unpacked aside and put in its place by one rename.
 */
const unpack = async (): Promise<Found> => {
  // The package's manifest is not among its exports: its door lies in `build`.
  const root = resolve(dirname(require.resolve("@sparticuz/chromium")), "..")
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
  const cache = join(dirname(dirname(root)), ".cache")
  const home = join(cache, `chromium-${version}`)
  if (!existsSync(home)) {
    await mkdir(cache, { recursive: true })
    const aside = await mkdtemp(join(cache, "chromium-"))
    try {
      await unpackInto(aside)
      await writeFile(join(aside, "fonts.conf"), fontsOf(join(home, "fonts")))
      await rename(aside, home)
    } catch (cause) {
      await rm(aside, { recursive: true, force: true })
      if (!existsSync(home)) throw cause
    }
  }
  return { executablePath: join(home, "chromium"), env: { FONTCONFIG_FILE: join(home, "fonts.conf") } }
}

/** The package unpacks into the folder for temporary files, which it reads before it first waits. */
const unpackInto = async (folder: string): Promise<void> => {
  const { default: packaged } = await import("@sparticuz/chromium")
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = folder
  let unpacked: Promise<string>
  try {
    unpacked = packaged.executablePath()
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
  await unpacked
}

/** The fonts of the machine, and those of the package where it has none. */
const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir>${folder}/cache</cachedir>
</fontconfig>
`

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause).split("\n", 1)[0] ?? ""
