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
  return h("div", { class: "axis", "aria-hidden": "true" }, ...marks);
}
