// Bundles the page into one file that the Rust crate embeds.
//
// Script and style are put into the page itself, and the page's content policy allows exactly these two by
// their hashes: whatever a name in the data may hold, it can neither run nor load anything.

import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const onePage = {
  name: "one-page",
  enforce: "post",
  generateBundle(_options, bundle) {
    const page = bundle["index.html"];
    let script = "";
    let style = "";
    for (const [name, file] of Object.entries(bundle)) {
      if (file === page) continue;
      if (file.type === "chunk") script += file.code;
      else style += file.source;
      delete bundle[name];
    }
    // The end of a script is found before its text is understood.
    script = script.replaceAll("</script", "<\\/script").trim();
    style = style.trim();
    const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'`;
    // Functions, because `$` in a replacement text has a meaning.
    page.source = String(page.source)
      .replace(/\s*<script type="module"[^>]*><\/script>/, "")
      .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
      .replace("POLICY", () => policy)
      .replace("<!-- style -->", () => `<style>${style}</style>`)
      .replace("<!-- script -->", () => `<script type="module">${script}</script>`);
    page.fileName = "report.html";
  },
};

export default defineConfig({
  build: {
    target: "es2022",
    outDir: "../crates/lmdi-report/src/page/bundle",
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  plugins: [onePage],
});
