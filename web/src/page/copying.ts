// Text and pictures into the clipboard, or into a file where the browser allows no clipboard.

import { h } from "./dom";

export function saveAs(name: string, content: Blob): void {
  const link = h("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Whether it was copied; else it was saved. */
export async function copy(name: string, content: Blob): Promise<boolean> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ [content.type]: content })]);
    return true;
  } catch {
    saveAs(name, content);
    return false;
  }
}
