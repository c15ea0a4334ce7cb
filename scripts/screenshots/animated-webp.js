/** Joins WebP pictures to an animation. The container is described in developers.google.com/speed/webp/docs/riff_container. */

const animationFlag = 0x02;

function chunk(name, content) {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(content.length, 4);
  // Chunks have an even length.
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** The chunks with the pixels of a picture: everything but the description of the canvas. */
function pixelChunks(picture) {
  const found = [];
  for (let at = 12; at < picture.length;) {
    const size = picture.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (['VP8 ', 'VP8L', 'ALPH'].includes(picture.toString('latin1', at, at + 4)))
      found.push(picture.subarray(at, end));
    at = end;
  }
  return Buffer.concat(found);
}

/** `frames`: pictures of one size, each with the time it is shown. Repeats for ever. */
export function animateWebp(frames, { width, height }) {
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(animationFlag, 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const parts = frames.map(({ picture, milliseconds }) => {
    const head = Buffer.alloc(16);
    head.writeUIntLE(width - 1, 6, 3);
    head.writeUIntLE(height - 1, 9, 3);
    head.writeUIntLE(milliseconds, 12, 3);
    return chunk('ANMF', Buffer.concat([head, pixelChunks(picture)]));
  });
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', canvas), chunk('ANIM', Buffer.alloc(6)), ...parts]);
  const head = Buffer.alloc(8);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
