const SIDE = 640;

/** A copy that fits a square: the whole of a large picture would stay in memory for each message it is in. */
export async function shrunk(address: string): Promise<string | null> {
  const picture = new Image();
  picture.src = address;
  try {
    await picture.decode();
  } catch {
    return null;
  }
  const scale = Math.min(1, SIDE / Math.max(picture.naturalWidth, picture.naturalHeight));
  if (scale === 1) return address.length < 200_000 ? address : drawn(picture, 1);
  return drawn(picture, scale);
}

function drawn(picture: HTMLImageElement, scale: number): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(picture.naturalHeight * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/webp', 0.9);
}
