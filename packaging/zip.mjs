// Writes a ZIP archive whose bytes hang on its contents alone. Source: APPNOTE.TXT 6.3.10, 4.3 and 4.4.
import { deflateRawSync } from 'node:zlib';

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
