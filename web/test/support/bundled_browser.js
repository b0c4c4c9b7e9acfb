// A headless Chromium without root and without a download of its own: the development dependency
// @sparticuz/chromium holds the program (Linux on x86-64), which is unpacked once beside it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const PACKED = join(MODULES, "@sparticuz/chromium/bin");
const UNPACKED = join(MODULES, ".cache/bundled-browser");

function unpack() {
  const half = `${UNPACKED}-${process.pid}`;
  mkdirSync(half, { recursive: true });
  const plain = (name) => brotliDecompressSync(readFileSync(join(PACKED, name)));
  writeFileSync(join(half, "chromium"), plain("chromium.br"), { mode: 0o755 });
  // Drawing without a graphics card, libraries that a bare system may lack, and one font.
  for (const name of ["swiftshader.tar.br", "al2023.tar.br", "fonts.tar.br"]) {
    execFileSync("tar", ["-x", "-C", half], { input: plain(name) });
  }
  const fonts = ["/usr/share/fonts", join(UNPACKED, "fonts")].map((path) => `<dir>${path}</dir>`);
  const cache = `<cachedir>${join(UNPACKED, "font-cache")}</cachedir>`;
  writeFileSync(join(half, "fonts.conf"), `<fontconfig>${fonts.join("")}${cache}</fontconfig>\n`);
  rmSync(UNPACKED, { recursive: true, force: true });
  renameSync(half, UNPACKED);
}

/** The program and the environment that it needs, or null where the package has none for this machine. */
export function bundledBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64" || !existsSync(PACKED)) return null;
  const executablePath = join(UNPACKED, "chromium");
  if (!existsSync(executablePath)) unpack();
  const libraries = [process.env.LD_LIBRARY_PATH, join(UNPACKED, "lib")].filter(Boolean).join(":");
  const env = { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: UNPACKED };
  return { executablePath, env };
}
