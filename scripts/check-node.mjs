// Runs before `npm test` and `npm start`. It is plain JavaScript without imports, so that an old Node can read it and
// say what is missing. On Linux and Windows `npm install` installs its own Node; on macOS there is none to install.
const wanted = [22, 19]
const found = process.versions.node.split(".").map(Number)

if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  console.error(
    [
      `Pointsman needs Node ${wanted.join(".")} or newer, and this is Node ${process.versions.node} (${process.platform} ${process.arch}).`,
      "Linux (x64, arm64) and Windows (x64): run `npm install` without `--omit=optional`; it brings Node 24.",
      "macOS and others: install Node 24, for example with `brew install node@24` or `nvm install 24`."
    ].join("\n")
  )
  process.exit(1)
}
