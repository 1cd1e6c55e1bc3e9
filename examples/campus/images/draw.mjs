/**
 * Draws one small diploma for each row of a CSV file: a guilloche border and rosette, as on banknotes, that
 * differ from student to student. Nothing but Node is needed.
 *
 *     node images/draw.mjs data/class-of-2026.csv images
 *
 * The first column gives the file names: letters, digits and dashes; no line breaks inside cells. The same id
 * always gives the same picture. Each is a PNG of 160 x 113 pixels (the shape of A4) in 16 colours.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv } from 'node:process';
import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 160;
const HEIGHT = 113;
/** Shades from paper to ink, then from paper to gold. Together they are the palette. */
const SHADES = 11;
const GOLDS = 5;
const TURN = 2 * Math.PI;

const PAPER = [252, 249, 240];
const GOLD = [176, 132, 38];

/** Characters of 3 x 5 pixels, one row of bits per number. All others leave a gap. */
const GLYPHS = {
  0: [7, 5, 5, 5, 7],
  1: [2, 6, 2, 2, 7],
  2: [7, 1, 7, 4, 7],
  3: [7, 1, 7, 1, 7],
  4: [5, 5, 7, 1, 1],
  5: [7, 4, 7, 1, 7],
  6: [7, 4, 7, 5, 7],
  7: [7, 1, 2, 2, 2],
  8: [7, 5, 7, 5, 7],
  9: [7, 5, 7, 1, 7],
  A: [2, 5, 7, 5, 5],
  C: [7, 4, 4, 4, 7],
  D: [6, 5, 5, 5, 6],
  I: [7, 2, 2, 2, 7],
  L: [4, 4, 4, 4, 7],
  M: [5, 7, 7, 5, 5],
  O: [7, 5, 5, 5, 7],
  P: [7, 5, 7, 4, 4],
  S: [7, 4, 7, 1, 7],
  '-': [0, 0, 7, 0, 0],
};

/** A picture in the making: how much ink and how much gold lies on each pixel, 0 to 1. */
function emptySheet() {
  return { ink: new Float64Array(WIDTH * HEIGHT), gold: new Float64Array(WIDTH * HEIGHT) };
}

/** Lays `amount` on the four pixels around a point, the nearer the more. */
function dab(layer, x, y, amount) {
  const left = Math.floor(x);
  const top = Math.floor(y);
  for (const [px, py] of [
    [left, top],
    [left + 1, top],
    [left, top + 1],
    [left + 1, top + 1],
  ]) {
    if (px < 0 || py < 0 || px >= WIDTH || py >= HEIGHT) continue;
    const share = (1 - Math.abs(x - px)) * (1 - Math.abs(y - py));
    const at = py * WIDTH + px;
    layer[at] = Math.min(1, layer[at] + amount * share);
  }
}

/** Follows `point(t)` for t from 0 to 1. */
function curve(layer, point, { dabs, amount }) {
  for (let i = 0; i < dabs; i++) dab(layer, ...point(i / dabs), amount);
}

function box(layer, [left, top, width, height], amount) {
  for (let y = top; y < top + height; y++) layer.fill(amount, y * WIDTH + left, y * WIDTH + left + width);
}

/** Two waves, against one another, around the edge of the sheet. */
function border(sheet, waves) {
  const [right, bottom, inset] = [WIDTH - 1, HEIGHT - 1, 6];
  for (const phase of [0, Math.PI]) {
    const swing = (t) => 3 * Math.sin(TURN * waves * t + phase);
    const stroke = { dabs: 700, amount: 0.3 };
    curve(sheet.ink, (t) => [t * right, inset + swing(t)], stroke);
    curve(sheet.ink, (t) => [t * right, bottom - inset - swing(t)], stroke);
    curve(sheet.ink, (t) => [inset + swing(t), t * bottom], stroke);
    curve(sheet.ink, (t) => [right - inset - swing(t), t * bottom], stroke);
  }
}

/** A closed curve that swings between two radii, drawn a few times with growing size. */
function rosette(layer, { x, y, radius, petals, turns, depth, rings, amount }) {
  for (let ring = 0; ring < rings; ring++) {
    const size = radius * (1 - ring / (rings * 2.2));
    const point = (t) => {
      const reach = size * (1 - depth / 2 + (depth / 2) * Math.cos((petals / turns) * TURN * turns * t));
      const angle = TURN * turns * t + ring * 0.2;
      return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
    };
    curve(layer, point, { dabs: Math.round(size * turns * 14), amount });
  }
}

/** A scalloped disc of gold with an engraved rosette. */
function seal(sheet, { x, y, points }) {
  const engraving = new Float64Array(WIDTH * HEIGHT);
  rosette(engraving, { x, y, radius: 9, petals: points, turns: 1, depth: 0.7, rings: 2, amount: 0.3 });
  for (let py = y - 13; py <= y + 13; py++) {
    for (let px = x - 13; px <= x + 13; px++) {
      const edge = 11.5 + Math.cos(points * Math.atan2(py - y, px - x));
      const at = py * WIDTH + px;
      const cover = Math.min(1, Math.max(0, edge - Math.hypot(px - x, py - y)));
      sheet.gold[at] = cover * (1 - 0.75 * engraving[at]);
      if (cover > 0) sheet.ink[at] = 0;
    }
  }
}

/** Writes from `x`, `y` (left, top); each dot of a character is a square of `size` pixels. */
function text(layer, characters, { x, y, size }) {
  [...characters].forEach((character, index) => {
    (GLYPHS[character] ?? []).forEach((bits, row) => {
      for (let column = 0; column < 3; column++) {
        const left = x + (index * 4 + column) * size;
        if (bits & (4 >> column)) box(layer, [left, y + row * size, size, size], 1);
      }
    });
  });
}

function drawDiploma(id) {
  const seed = createHash('sha256').update(id).digest();
  const sheet = emptySheet();
  border(sheet, 9 + (seed[0] % 6));
  rosette(sheet.ink, {
    x: WIDTH / 2,
    y: HEIGHT / 2,
    radius: 40,
    petals: 3 * (5 + (seed[1] % 6)) + 1 + (seed[1] % 2), // no multiple of the turns: the lines interlace
    turns: 3,
    depth: 0.5 + (seed[2] % 30) / 100,
    rings: 4,
    amount: 0.05,
  });
  text(sheet.ink, 'DIPLOMA', { x: 39, y: 20, size: 3 });
  const name = 44 + (seed[3] % 28);
  box(sheet.ink, [(WIDTH - name) >> 1, 48, name, 4], 0.9);
  for (const [line, width] of [76, 84, 62].entries()) {
    box(sheet.ink, [(WIDTH - width) >> 1, 60 + line * 6, width, 2], 0.5);
  }
  box(sheet.ink, [22, 90, 34, 1], 0.8);
  text(sheet.ink, id, { x: 22, y: 93, size: 1 });
  seal(sheet, { x: 129, y: 86, points: 10 + (seed[4] % 9) });
  return encode(sheet, paletteOf(seed[5] / 256));
}

/** Paper to ink in a hue of its own (0 to 1), then paper to gold. */
function paletteOf(hue) {
  const ink = [0, 1 / 3, 2 / 3].map((shift) => 62 + 50 * Math.cos(TURN * (hue + shift)));
  const between = (colour, share) => PAPER.map((from, i) => Math.round(from + (colour[i] - from) * share));
  return [
    ...Array.from({ length: SHADES }, (_, i) => between(ink, i / (SHADES - 1))),
    ...Array.from({ length: GOLDS }, (_, i) => between(GOLD, (i + 1) / GOLDS)),
  ];
}

function colourAt({ ink, gold }, at) {
  const shade = Math.round(ink[at] * (SHADES - 1));
  return gold[at] > shade / SHADES ? SHADES - 1 + Math.max(1, Math.round(gold[at] * GOLDS)) : shade;
}

/** PNG with a palette and four bits per pixel. */
function encode(sheet, palette) {
  const rowBytes = 1 + WIDTH / 2;
  const pixels = Buffer.alloc(rowBytes * HEIGHT);
  for (let at = 0; at < WIDTH * HEIGHT; at++) {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
    pixels[y * rowBytes + 1 + (x >> 1)] |= colourAt(sheet, at) << (x % 2 ? 0 : 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([4, 3], 8); // four bits per pixel, colours from the palette
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Length, name, content, checksum. `crc32` has been part of node:zlib since 20.15. */
function chunk(name, content) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const [rows, folder] = argv.slice(2);
const ids = (await readFile(rows, 'utf8'))
  .split('\n')
  .slice(1)
  .map((line) => line.split(',')[0])
  .filter((id) => /^[A-Za-z0-9-]+$/.test(id));
for (const id of ids) await writeFile(join(folder, `${id}.png`), drawDiploma(id));
