import { createServer } from 'node:http';

/** A listener that keeps every callback by the last part of its path, and answers 200. */
export async function openReceiver() {
  const bodies = new Map();
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const token = request.url.split('/').at(-1);
      bodies.set(token, [...(bodies.get(token) ?? []), Buffer.concat(parts).toString()]);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return {
    bodies,
    url: (token) => `http://127.0.0.1:${port}/hooks/${token}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
