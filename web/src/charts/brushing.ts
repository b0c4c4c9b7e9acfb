// A rectangle that the pointer draws over a drawing. Fingers scroll, so they draw none.

import { svg } from "../page/dom";

/** A shorter pull of the pointer, in pixels, is a click. */
const LEAST = 6;

/** In the drawing's own units. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Calls with every rectangle that is drawn; `across` reaches from the top to the bottom. */
export function brushing(
  drawing: SVGSVGElement,
  done: (box: Box) => void,
  kind: "rectangle" | "across" = "rectangle",
): void {
  const shown = svg("rect", { class: "brush", visibility: "hidden" });
  drawing.append(shown);
  drawing.classList.add("brushable");
  let from: PointerEvent | null = null;
  let hasBrushed = false;
  const isFar = (to: PointerEvent) =>
    from !== null && Math.hypot(to.clientX - from.clientX, to.clientY - from.clientY) >= LEAST;
  const boxTo = (to: PointerEvent): Box => {
    const place = drawing.getBoundingClientRect();
    const { width, height } = drawing.viewBox.baseVal;
    const x = [from!, to].map((at) => ((at.clientX - place.left) * width) / place.width);
    const y = [from!, to].map((at) => ((at.clientY - place.top) * height) / place.height);
    const isAcross = kind === "across";
    return {
      left: Math.min(...x),
      right: Math.max(...x),
      top: isAcross ? 0 : Math.min(...y),
      bottom: isAcross ? height : Math.max(...y),
    };
  };
  drawing.addEventListener("pointerdown", (event) => {
    hasBrushed = false;
    if (event.pointerType !== "touch" && event.button === 0) from = event;
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!isFar(event)) return;
    drawing.setPointerCapture(event.pointerId);
    const { left, right, top, bottom } = boxTo(event);
    shown.setAttribute("visibility", "visible");
    shown.setAttribute("x", String(left));
    shown.setAttribute("y", String(top));
    shown.setAttribute("width", String(right - left));
    shown.setAttribute("height", String(bottom - top));
  });
  drawing.addEventListener("pointerup", (event) => {
    const box = isFar(event) ? boxTo(event) : null;
    from = null;
    shown.setAttribute("visibility", "hidden");
    if (!box) return;
    hasBrushed = true;
    done(box);
  });
  drawing.addEventListener("pointercancel", () => {
    from = null;
    shown.setAttribute("visibility", "hidden");
  });
  // The click that ends a rectangle chooses nothing.
  drawing.addEventListener(
    "click",
    (event) => {
      if (hasBrushed) event.stopImmediatePropagation();
      hasBrushed = false;
    },
    { capture: true },
  );
}
