// Focus is never lost: where a control goes away with its use, the focus moves to what stands in its place.

const CONTROLS = "button, input, select, summary, a[href], [tabindex='0']";

/** Controls inside an element, in their order. */
function controlsOf(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    (control) => control.offsetParent !== null,
  );
}

/** Watches for controls that are removed by their own use. */
export function keepFocus(page: HTMLElement): void {
  const settle = (event: Event) => {
    const used = event.target as HTMLElement;
    const control = used.closest<HTMLElement>(CONTROLS);
    if (!control) return;
    // Where it stood: its ancestors from the inside out, each with its place among their controls.
    const around: { element: HTMLElement; at: number }[] = [];
    for (let at = control.parentElement; at && at !== page; at = at.parentElement)
      around.push({ element: at, at: controlsOf(at).indexOf(control) });
    requestAnimationFrame(() => {
      if (control.isConnected || document.activeElement !== document.body) return;
      for (const { element, at } of around) {
        if (!element.isConnected) continue;
        const controls = controlsOf(element);
        const next = controls[Math.min(at, controls.length - 1)];
        const title = element.querySelector<HTMLElement>("h2[tabindex]");
        if (next ?? title) return (next ?? title)?.focus({ preventScroll: true });
      }
      page.querySelector<HTMLElement>("h2[tabindex]")?.focus({ preventScroll: true });
    });
  };
  // Before the control's own handlers, which may remove it.
  for (const kind of ["click", "change"]) page.addEventListener(kind, settle, { capture: true });
}
