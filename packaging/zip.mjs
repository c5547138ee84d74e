// ZIP archives whose bytes hang on their contents alone. Source: APPNOTE.TXT 6.3.10, 4.3 and 4.4.
// `node packaging/zip.mjs FILE` writes an archive anew as such a one.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++)
    value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes)
    crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const firstDay = 0x21;  // 1 January 1980, which is as early as an archive knows.

/** What stands of a file both before its bytes and in the list at the end. */
function common(entry) {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0);
  head.writeUInt16LE(0x0800, 2);  // The name is UTF-8.
  head.writeUInt16LE(8, 4);  // Deflated.
  head.writeUInt16LE(firstDay, 8);
  head.writeUInt32LE(entry.crc, 10);
  head.writeUInt32LE(entry.packed.length, 14);
  head.writeUInt32LE(entry.bytes.length, 18);
  head.writeUInt16LE(Buffer.byteLength(entry.name), 22);
  return head;
}

function listed(entry) {
  const signature = Buffer.from([0x50, 0x4b, 1, 2, 20, 3]);  // Made on Unix, so the mode counts.
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((0o100000 | entry.mode) * 0x10000, 6);
  rest.writeUInt32LE(entry.at, 10);
  return Buffer.concat([signature, common(entry), rest, Buffer.from(entry.name)]);
}

/** `files`: [{ name, bytes, mode }] */
export function zip(files) {
  const parts = [];
  let at = 0;
  const entries = files.map((file) => {
    const bytes = Buffer.from(file.bytes);
    const entry = { name: file.name, mode: file.mode ?? 0o644, bytes, packed: deflateRawSync(bytes, { level: 9 }), crc: crc32(bytes), at };
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), common(entry), Buffer.from(entry.name), entry.packed]);
    parts.push(local);
    at += local.length;
    return entry;
  });
  const list = Buffer.concat(entries.map(listed));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}

/** What zip() takes, read by the list at the end. */
export function unzip(archive) {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = [];
  for (let at = archive.readUInt32LE(end + 16), left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const length = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    files.push({
      name: archive.toString('utf8', at + 46, at + 46 + length),
      bytes: archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed,
      mode: archive.readUInt32LE(at + 38) >>> 16 & 0o777,
    });
    at += 46 + length + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = process.argv[2];
  const files = unzip(readFileSync(path)).filter(({ name }) => !name.endsWith('/'));
  writeFileSync(path, zip(files.sort((a, b) => (a.name < b.name ? -1 : 1))));
}
