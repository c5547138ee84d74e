// Reads an ELF file of 64 bits, little endian: its kind, its segments, what it wants of the loader and of libraries, and
// its code. The numbers are those of elf.h.
import { readFileSync } from 'node:fs';

export const DYN = 3;
export const LOAD = 1;
export const DYNAMIC = 2;
export const STACK = 0x6474e551;
export const RELRO = 0x6474e552;
const tagNeeded = 1;
const tagFlags = 30;
const tagFlags1 = 0x6ffffffb;
export const BIND_NOW = 8;  // of `flags`
export const NOW = 1;  // of `flags1`
export const PIE = 0x08000000;
export const X86_64 = 62;
export const AARCH64 = 183;

function segmentAt(bytes, at) {
  const long = (offset) => Number(bytes.readBigUInt64LE(at + offset));
  return { type: bytes.readUInt32LE(at), flags: bytes.readUInt32LE(at + 4), offset: long(8), address: long(16), size: long(32) };
}

function eachEntry(bytes, { offset, size }) {
  const entries = [];
  for (let at = offset; at < offset + size; at += 16)
    entries.push([Number(bytes.readBigUInt64LE(at)), Number(bytes.readBigUInt64LE(at + 8))]);
  return entries;
}

/** The strings of the dynamic symbols, their versions and the libraries. */
function dynamicStrings(bytes, segments, dynamic) {
  const offsetOf = (address) => {
    const home = segments.find((one) => one.type === LOAD && address >= one.address && address < one.address + one.size);
    return address - home.address + home.offset;
  };
  const start = offsetOf(dynamic.get(5));
  return bytes.toString('latin1', start, start + dynamic.get(10));
}

/** { machine, type, segments, flags, flags1, names, needed, code }; null for what is no such file. */
export function readElf(path) {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01')
    return null;
  const first = Number(bytes.readBigUInt64LE(32));
  const segments = Array.from({ length: bytes.readUInt16LE(56) }, (_, i) => segmentAt(bytes, first + i * bytes.readUInt16LE(54)));
  const entries = eachEntry(bytes, segments.find((one) => one.type === DYNAMIC));
  const dynamic = new Map(entries);
  const strings = dynamicStrings(bytes, segments, dynamic);
  const executable = segments.find((one) => one.type === LOAD && one.flags & 1);
  return {
    machine: bytes.readUInt16LE(18), type: bytes.readUInt16LE(16), segments,
    flags: dynamic.get(tagFlags) ?? 0, flags1: dynamic.get(tagFlags1) ?? 0,
    names: strings.split('\0').filter(Boolean),
    needed: entries.filter(([tag]) => tag === tagNeeded).map(([, at]) => strings.slice(at, strings.indexOf('\0', at))),
    code: bytes.subarray(executable.offset, executable.offset + executable.size),
  };
}
