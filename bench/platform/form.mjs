const BOUNDARY = 'windlass-form-b5a1e0';

/** A form as bytes, with its content type: fields as `[name, value]`, files as `[name, bytes, filename]`. */
export function formOf(fields, files) {
  const part = (name, more) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n`;
  const texts = fields.map(([name, value]) => `${part(name, '')}\r\n${value}\r\n`).join('');
  const chunks = files.flatMap(([name, bytes, filename]) => [
    Buffer.from(`${part(name, `; filename="${filename}"`)}content-type: application/octet-stream\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([Buffer.from(texts), ...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body };
}
