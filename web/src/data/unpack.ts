// Packed numbers as typed arrays.

import type { Packed } from "../contract";

export type Numbers =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array;

const KINDS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export async function unpack(packed: Packed): Promise<Numbers> {
  const stream = new Blob([bytesOf(packed.data)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const Kind = KINDS[packed.type];
  const width = Kind.BYTES_PER_ELEMENT;
  const n = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let byte = 0; byte < width; byte++) {
    const plane = byte * n;
    for (let at = 0; at < n; at++) bytes[at * width + byte] = planes[plane + at];
  }
  return new Kind(bytes.buffer);
}

export async function unpackAsDoubles(packed: Packed): Promise<Float64Array> {
  const numbers = await unpack(packed);
  return numbers instanceof Float64Array ? numbers : Float64Array.from(numbers);
}
