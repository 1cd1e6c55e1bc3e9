// deploy.mjs PACKAGE_FOLDER NODE_URL DEPLOYMENT_FOLDER ARTIFACT COUNT chain|fan: the peer deploys, as its own tools call it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [packageFolder, url, deploymentDir, artifactFile, count, shape] = process.argv.slice(2);
const { buildModule, deploy } = await import(pathToFileURL(`${packageFolder}/dist/src/index.js`).href);
const artifact = JSON.parse(readFileSync(artifactFile, 'utf8'));

let id = 0;
const provider = {
  async request({ method, params = [] }) {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  },
};
const accounts = await provider.request({ method: 'eth_accounts' });

const ignitionModule = buildModule('Links', (m) => {
  const links = {};
  for (let index = 0; index < Number(count); index += 1) {
    const previous = shape === 'chain' && index > 0 ? links[`Link${index - 1}`] : accounts[0];
    links[`Link${index}`] = m.contract('Link', artifact, [previous], { id: `Link${index}` });
  }
  return links;
});

const result = await deploy({
  artifactResolver: { loadArtifact: async () => artifact, getBuildInfo: async () => undefined },
  provider,
  deploymentDir,
  ignitionModule,
  deploymentParameters: {},
  accounts,
  config: { requiredConfirmations: 1 },
});
if (result.type !== 'SUCCESSFUL_DEPLOYMENT') throw new Error(JSON.stringify(result));
