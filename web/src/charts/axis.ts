// A horizontal axis above stretching drawings: ticks are placed by shares, so that they stretch along.

import { scaleLinear } from "d3-scale";
import { h } from "../page/dom";
import { tick } from "../page/format";

/** Labels with more letters need more room. */
const LONG = 5;

export function topAxis(from: number, to: number, ticks = 5, text = tick): HTMLElement {
  const scale = scaleLinear([from, to], [0, 100]);
  const isLong = scale.ticks(ticks).some((at) => text(at).length > LONG);
  const marks = scale.ticks(isLong ? Math.ceil(ticks / 2) : ticks).map((at) => {
    const label = h("span", { class: "tick" }, text(at));
    label.style.left = `${scale(at)}%`;
    return label;
  });
  return axisOf("axis", marks);
}

/** Pixels between labels at least. */
const GAP = 4;

/** An axis of labels from left to right. Those that would touch the one before are hidden, at every width. */
export function axisOf(kind: string, marks: HTMLElement[]): HTMLElement {
  const axis = h("div", { class: kind, "aria-hidden": "true" }, ...marks);
  const watch = new ResizeObserver(() => {
    let end = -Infinity;
    for (const mark of marks) {
      const { left, right } = mark.getBoundingClientRect();
      const fits = left >= end + GAP;
      mark.classList.toggle("crowded", !fits);
      if (fits) end = right;
    }
  });
  watch.observe(axis);
  return axis;
}
