/** The bytes of a file; null when they cannot be read, as those of a folder. */
export function readBase64(file: Blob): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = typeof reader.result === 'string' ? reader.result : '';
      resolve(address.slice(address.indexOf(',') + 1));
    };
    reader.onerror = () => resolve(null);
    reader.readAsDataURL(file);
  });
}
