// A minimal service for bench/overhead.mjs: accepts every write at once and calls back. Sends its port, and its CPU time when asked.
import { createServer } from 'node:http';
import { Agent, request } from 'undici';

const agent = new Agent({ connections: 64, pipelining: 1 });
let made = 0;

const server = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const { callback_url: url } = JSON.parse(Buffer.concat(chunks).toString());
    const body = Buffer.from(
      '{"status":200,"result":{"status":"pending","message":"Contract creation in progress"}}',
    );
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    made += 1;
    // Who closes before it has answered a callback has read it: nothing is sent again.
    callBack(url, made.toString(16).padStart(40, '0')).catch(() => undefined);
  });
});

async function callBack(url, digits) {
  const hash = `0x${digits.padStart(64, '0')}`;
  const body = JSON.stringify({
    status: 'success',
    from: `0x${'0'.repeat(40)}`,
    nonce: 0,
    transactionHash: hash,
    contract_address: `0x${digits}`,
  });
  const answer = await request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    dispatcher: agent,
  });
  await answer.body.dump();
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000 });
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
