// Colours are told apart with every colour vision, and each scale has one meaning.
//
// Colour blindness is simulated by the matrices of Machado, Oliveira and Fernandes (2009) at full severity, on linear
// light. Distances are Euclidean in CIELAB: 10 is seen beside each other at a glance, 2 is just noticeable.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const STYLE = readFileSync(new URL("../../src/style/colours.css", import.meta.url), "utf8");
/** Groups of the same shape differ by at least so much, with every colour vision and in grey. */
const SAME_SHAPE = 12;
/** All pairs of groups differ by at least so much with normal vision. */
const ALL = 14;
/** Steps of the scale of values grow lighter by at least so much, in grey too. */
const STEP = 5;

const VISIONS = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  grey: [
    [0.2126, 0.7152, 0.0722],
    [0.2126, 0.7152, 0.0722],
    [0.2126, 0.7152, 0.0722],
  ],
};

/** Colours of the light and of the dark page, by name. */
function themes() {
  const [light, dark] = STYLE.split("@media (prefers-color-scheme: dark)");
  const read = (text) =>
    Object.fromEntries(
      [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, ...pair]) => pair),
    );
  return { light: read(light), dark: read(dark) };
}

function lab(hex, vision) {
  const linear = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const seen = VISIONS[vision].map((line) =>
    Math.min(
      1,
      Math.max(
        0,
        line.reduce((sum, part, at) => sum + part * linear[at], 0),
      ),
    ),
  );
  const [r, g, b] = seen;
  const xyz = [
    (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
    0.2126729 * r + 0.7151522 * g + 0.072175 * b,
    (0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883,
  ];
  const [x, y, z] = xyz.map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a, b, vision) {
  const [one, other] = [lab(a, vision), lab(b, vision)];
  return Math.hypot(...one.map((part, at) => part - other[at]));
}

for (const [theme, colours] of Object.entries(themes())) {
  const groups = Array.from({ length: 8 }, (_, at) => colours[`group-${at}`]);
  test(`groups are told apart by colour or shape (${theme})`, () => {
    for (let a = 0; a < groups.length; a++) {
      for (let b = a + 1; b < groups.length; b++) {
        const normal = distance(groups[a], groups[b], "normal");
        assert.ok(normal >= ALL, `groups ${a} and ${b}: ${normal.toFixed(1)}`);
        // As charts/dots.ts gives shapes.
        if (a % 4 !== b % 4) continue;
        for (const vision of Object.keys(VISIONS)) {
          const away = distance(groups[a], groups[b], vision);
          assert.ok(away >= SAME_SHAPE, `groups ${a} and ${b}, ${vision}: ${away.toFixed(1)}`);
        }
      }
    }
  });

  test(`values run from dark to light (${theme})`, () => {
    for (const vision of Object.keys(VISIONS)) {
      for (let at = 1; at < 7; at++) {
        const [before, now] = [at - 1, at].map((step) => lab(colours[`step-${step}`], vision)[0]);
        assert.ok(now - before >= STEP, `step ${at}, ${vision}: ${(now - before).toFixed(1)}`);
      }
    }
  });

  test(`up and down are told apart, and are no colours of values (${theme})`, () => {
    for (const vision of Object.keys(VISIONS).filter((one) => one !== "grey"))
      assert.ok(distance(colours.up, colours.down, vision) >= 25, vision);
    for (const direction of ["up", "down"])
      for (let at = 0; at < 7; at++)
        assert.ok(distance(colours[direction], colours[`step-${at}`], "normal") >= 15);
  });

  test(`text and lights stand out from the paper (${theme})`, () => {
    const luminance = (hex) => ((lab(hex, "normal")[0] + 16) / 116) ** 3;
    const contrast = (a, b) => {
      const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    for (const name of ["ink", "quiet", "accent", "up", "down", "good", "careful", "bad"])
      assert.ok(contrast(colours[name], colours.paper) >= 4.5, name);
  });
}
