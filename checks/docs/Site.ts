/** The site, built as it would be published, and behind a server that gives its files and nothing else. */
import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import { promisify } from "node:util"
import { root } from "../tidy/Files.ts"

const run = promisify(execFile)

const dist: string = join(root, "docs/.vitepress/dist")

/** As `npm run docs:build` does. Fails with what the tools print, dead links among it. */
export const buildSite = async (): Promise<void> => {
  const tool = (path: string, ...args: ReadonlyArray<string>) =>
    run(process.execPath, [join(root, "docs/node_modules", path), ...args], {
      cwd: join(root, "docs"),
      env: { ...process.env, NODE_ENV: "production" },
      maxBuffer: 50_000_000
    })
  await tool("typedoc/bin/typedoc")
  await tool("vitepress/bin/vitepress.js", "build")
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

/** The addresses of all pages. */
export const addresses = (): ReadonlyArray<string> =>
  globSync("**/*.html", { cwd: dist }).map((path) => `/${path.replaceAll("\\", "/")}`)

export const serveSite = async (): Promise<{ readonly url: string; readonly server: Server }> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
    const path = decodeURIComponent(pathname).replace(/\/$/u, "/index.html")
    readFile(join(dist, path)).then(
      (body) => response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(body),
      () => response.writeHead(404, { "content-type": "text/plain" }).end("not found")
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
