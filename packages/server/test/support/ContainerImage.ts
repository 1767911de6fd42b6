/**
 * The image of `deploy/docker/Dockerfile`, built with Buildah and run as it says. No registry is asked: its base is
 * Debian, unpacked by debootstrap, with the Node that runs this test. All of it is in one folder, and goes with it.
 */
import { execFile, spawn, spawnSync } from "node:child_process"
import { chownSync, copyFileSync, cpSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** Why it cannot be built here, or `undefined`. */
export const missingBuilder = (): string | undefined => {
  if (process.env["POINTSMAN_IMAGE"] !== "all") return "it runs with POINTSMAN_IMAGE=all, as in .ci/release"
  for (const command of ["buildah", "debootstrap"]) {
    if (spawnSync(command, ["--version"]).error !== undefined) return `${command} is not installed`
  }
  return process.getuid?.() === 0 ? undefined : "only root can unpack its base"
}

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const tag = "localhost/pointsman"
const base = "localhost/pointsman-base"

/** What the image says of itself. */
interface ImageConfig {
  readonly Entrypoint: ReadonlyArray<string>
  readonly Cmd: ReadonlyArray<string>
  readonly User: string
  readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
}

export const buildImage = async (folder: string) => {
  const place = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"]
  const inChroot = { ...process.env, BUILDAH_ISOLATION: "chroot" }
  const buildah = async (...words: ReadonlyArray<string>): Promise<string> => {
    const ran = promisify(execFile)("buildah", [...place, ...words], {
      cwd: root,
      env: inChroot,
      maxBuffer: 100_000_000
    })
    return (await ran).stdout.trim()
  }

  const files = join(folder, "base")
  await promisify(execFile)("debootstrap", ["--variant=minbase", "bookworm", files], { maxBuffer: 100_000_000 })
  await promisify(execFile)("chroot", [files, "/usr/sbin/useradd", "-u", "1000", "-U", "-m", "node"])
  copyFileSync(process.execPath, join(files, "usr/local/bin/node"))
  const npm = (await promisify(execFile)("sh", ["-c", 'readlink -f "$(command -v npm)"'])).stdout.trim()
  mkdirSync(join(files, "usr/local/lib/node_modules"), { recursive: true })
  cpSync(join(npm, "../.."), join(files, "usr/local/lib/node_modules/npm"), { recursive: true })
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(files, "usr/local/bin/npm"))
  // The build installs packages as this machine does.
  const authorities = process.env["NODE_EXTRA_CA_CERTS"]
  if (authorities !== undefined) copyFileSync(authorities, join(files, "etc/authorities.pem"))
  const registry = (await promisify(execFile)("npm", ["config", "get", "registry"])).stdout.trim()

  const blank = await buildah("from", "scratch")
  await buildah("copy", "--quiet", blank, files, "/")
  const variables = [
    `npm_config_registry=${registry}`,
    ...(authorities === undefined ? [] : ["NODE_EXTRA_CA_CERTS=/etc/authorities.pem"])
  ]
  await buildah("config", ...variables.flatMap((variable) => ["--env", variable]), blank)
  await buildah("commit", "--quiet", blank, base)
  await buildah(
    ...["build", "--quiet", "--format", "docker", "--file", "deploy/docker/Dockerfile", "--tag", tag],
    ...["--build-arg", `NODE_IMAGE=${base}`, root]
  )

  const inspected = JSON.parse(await buildah("inspect", "--type", "image", tag))
  const config: ImageConfig = inspected.Docker.config
  const sizeOf = async (name: string): Promise<number> => {
    const [image] = JSON.parse(await buildah("images", "--json", name))
    return Number.parseFloat(image.size)
  }
  const name = await buildah("from", tag)
  const words = (data: string, environment: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>) => [
    ...[...place, "run", "--user", config.User, "--volume", `${data}:/data`],
    ...Object.entries(environment).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
    ...[name, "--", ...command]
  ]
  return {
    megabytes: await sizeOf(tag),
    baseMegabytes: await sizeOf(base),
    /** A container with the folder `data` at `/data`; its commands share its files. */
    container: (data: string) => {
      mkdirSync(data, { recursive: true, mode: 0o700 })
      chownSync(data, 1000, 1000)
      return {
        /** Runs the image's own command, with more of an environment. */
        start: (environment: Readonly<Record<string, string>>) =>
          startIn(words(data, environment, ...config.Entrypoint, ...config.Cmd), inChroot),
        /** Runs the image's health check beside it. */
        check: (environment: Readonly<Record<string, string>>) => {
          const [, ...command] = config.Healthcheck.Test
          return spawnSync("buildah", words(data, environment, ...command), { env: inChroot, encoding: "utf8" })
        }
      }
    }
  }
}

const startIn = (words: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const running = spawn("buildah", words, { env, stdio: ["ignore", "pipe", "pipe"] })
  let printed = ""
  for (const stream of [running.stdout, running.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
    })
  }
  const exited = new Promise<number | null>((resolve) => running.once("exit", resolve))
  return {
    printed: () => printed,
    /** SIGTERM, as `docker stop` sends it. Gives the exit code. */
    stop: () => {
      // Buildah kills its process where it is asked to end. The server is the last of its descendants.
      process.kill(lastBelow(running.pid as number), "SIGTERM")
      return exited
    }
  }
}

const lastBelow = (pid: number): number => {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
  const child = Number(stdout.trim().split(/\s+/u).at(-1))
  return child > 0 ? lastBelow(child) : pid
}
