// What cmake/hardening.cmake asks of the compiler is in the program that these tests run, whichever build that is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { BIND_NOW, DYN, NOW, PIE, RELRO, STACK, X86_64, readElf } from '../../packaging/elf.mjs';
import { binary } from './onnxls.mjs';

const elf = readElf(binary);
const isX86 = elf?.machine === X86_64;
const hasSanitizer = elf?.names.some((name) => name.startsWith('__asan_') || name.startsWith('__tsan_'));

/** How often the code has these bytes. */
function count(...bytes) {
  const pattern = Buffer.from(bytes);
  let times = 0;
  for (let at = elf.code.indexOf(pattern); at >= 0; at = elf.code.indexOf(pattern, at + 1))
    times++;
  return times;
}

test('it lies anywhere in memory', { skip: !elf || hasSanitizer }, () => {
  assert.equal(elf.type, DYN);
  assert.ok(elf.flags1 & PIE);
});

test('what the loader wrote is read-only before main() runs, and nothing is bound later', { skip: !elf }, () => {
  assert.ok(elf.segments.some(({ type }) => type === RELRO));
  assert.ok(elf.flags & BIND_NOW || elf.flags1 & NOW);
});

test('the stack holds no code', { skip: !elf }, () => {
  assert.equal(elf.segments.find(({ type }) => type === STACK).flags & 1, 0);
});

test('functions with arrays watch the stack', { skip: !elf }, () => {
  assert.ok(elf.names.includes('__stack_chk_fail'));
});

test('the C library checks sizes', { skip: !elf || hasSanitizer }, () => {
  const checked = elf.names.filter((name) => /^__(?!stack_chk)\w+_chk$/.test(name));
  assert.ok(checked.length >= 4, checked.join(' '));
});

test('functions begin with a landing pad', { skip: !isX86 }, () => {
  assert.ok(count(0xf3, 0x0f, 0x1e, 0xfa) > 1000, 'endbr64');
});

test('large frames touch each of their pages', { skip: !isX86 || hasSanitizer }, () => {
  assert.ok(count(0x48, 0x83, 0x0c, 0x24, 0x00) >= 1, 'orq $0, (%rsp)');
});

/** Addresses of functions by name; null without nm or names. */
function functionPlaces() {
  const { error, stdout } = spawnSync('nm', ['--defined-only', binary], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const found = error ? [] : [...stdout.matchAll(/^([0-9a-f]+) [tT] (\S+)$/gm)];
  return found.length > 0 ? new Map(found.map(([, at, name]) => [name, parseInt(at, 16)])) : null;
}

const places = elf && !hasSanitizer ? functionPlaces() : null;

test('what sessions run stands together (else: ./dev order)', { skip: !places }, () => {
  const order = readFileSync(new URL('../../server/function_order.ld', import.meta.url), 'utf8');
  const listed = [...order.matchAll(/\(\.text\.(\S+?)\)/g)].map(([, name]) => name);
  const there = listed.filter((name) => places.has(name)).map((name) => places.get(name)).sort((a, b) => a - b);
  assert.ok(there.length > 0.9 * listed.length, `${there.length} of ${listed.length} are functions of the program`);
  const between = [...places.values()].filter((at) => at >= there[0] && at <= there.at(-1)).length;
  assert.ok(between < 1.1 * there.length, `${between} functions where ${there.length} are`);
});
