import { rmSync } from 'node:fs';
import { runCli } from './measure.mjs';
import { installPeer, openNode, peerDeploys } from './peer/peer.mjs';
import { certificatesPlan, contractsPlan, linksPlan } from './plans.mjs';

const compileFirst = ['apply', '--yes', '--target', 'version.links@1.0.0'];

/** Does something in the folder of a plan with a platform of its own. */
async function withPlatform(cwd, flags, work) {
  await runCli(['platform', 'start', '--detach', ...flags], { cwd });
  try {
    return await work();
  } finally {
    await runCli(['platform', 'stop'], { cwd });
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function inFolder(cwd, work) {
  try {
    return await work();
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** `apply` of contracts whose version is compiled already, and once more with nothing to do. */
function applyTwice(cwd, flags = []) {
  return withPlatform(cwd, flags, async () => {
    await runCli(compileFirst, { cwd });
    const apply = await runCli(['apply', '--yes'], { cwd });
    return { apply, again: await runCli(['apply', '--yes'], { cwd }) };
  });
}

const SHAPES = { chain: 'each takes the previous address', fan: 'independent' };

/**
 * What is measured, by the name of its part. Each makes rows: `name`, how many `per` what it is shared among (absent: the
 * whole), and the sample.
 */
export const PARTS = {
  /** Starting, without and with a small plan. */
  async start() {
    const rows = [{ name: '`windlass --version`', sample: await runCli(['--version']) }];
    const small = contractsPlan(3, true);
    await inFolder(small, async () =>
      rows.push({ name: '`validate`, 3 contracts', sample: await runCli(['validate'], { cwd: small }) }),
    );
    const large = contractsPlan(100, true);
    await inFolder(large, async () =>
      rows.push({ name: '`validate`, 100 contracts', sample: await runCli(['validate'], { cwd: large }) }),
    );
    const empty = contractsPlan(1, false);
    const sample = await runCli(['platform', 'start', '--detach'], { cwd: empty });
    await runCli(['platform', 'stop'], { cwd: empty });
    rmSync(empty, { recursive: true, force: true });
    rows.push({ name: '`platform start` until it is ready', sample });
    return rows;
  },

  /** A large graph, drawn. */
  async graph() {
    const cwd = contractsPlan(1000, true);
    const rows = [
      { name: '`validate`, 1,000 contracts', sample: await runCli(['validate'], { cwd }) },
      {
        name: '`graph --format svg`, the same 1,000',
        sample: await runCli(['graph', '--format', 'svg'], { cwd }),
      },
    ];
    rmSync(cwd, { recursive: true });
    return rows;
  },

  /** The peer beside us, on one node. */
  async peer({ count }) {
    const peer = installPeer();
    const rows = [];
    for (const [shape, words] of Object.entries(SHAPES)) {
      const what = `${count} contracts, ${words}`;
      const own = await applyTwice(contractsPlan(count, shape === 'chain'));
      const node = await openNode(0);
      const shared = await applyTwice(contractsPlan(count, shape === 'chain'), ['--rpc-url', node.url]);
      const theirs = await peerDeploys(peer, node, { count, shape });
      await node.close();
      rows.push(
        { name: `\`apply\`, ${what}`, sample: own.apply },
        { name: '  the same on a node of its own', sample: shared.apply },
        { name: '  ignition-core on that node', sample: theirs.apply },
        { name: '  `apply` with nothing to do', sample: own.again },
        { name: '  ignition-core with nothing to do', sample: theirs.again },
      );
    }
    return rows;
  },

  /** One block a second: who waits for whom. */
  async blocks() {
    const peer = installPeer();
    const rows = [];
    const onBlocks = async (work) => {
      const node = await openNode(1);
      try {
        return await work(node);
      } finally {
        await node.close();
      }
    };
    const ours = (branches, depth) =>
      onBlocks(async ({ url }) => (await applyTwice(linksPlan(branches, depth), ['--rpc-url', url])).apply);
    const theirs = (count, shape) =>
      onBlocks(async (node) => (await peerDeploys(peer, node, { count, shape })).apply);
    rows.push(
      { name: '1 s blocks: `apply`, one chain of 5', sample: await ours(1, 5) },
      { name: '1 s blocks: `apply`, 4 chains of 5', sample: await ours(4, 5) },
      { name: '1 s blocks: `apply`, 100 independent', sample: await ours(100, 1) },
      { name: '1 s blocks: ignition-core, one chain of 5', sample: await theirs(5, 'chain') },
      { name: '1 s blocks: ignition-core, 100 independent', sample: await theirs(100, 'fan') },
    );
    return rows;
  },

  /** Batches, and plans with nothing to do after them. */
  async noop({ sizes }) {
    const rows = [];
    for (const size of sizes) {
      const cwd = certificatesPlan(size);
      const what = `${size.toLocaleString('en')} small certificates`;
      await withPlatform(cwd, [], async () => {
        const made = await runCli(['apply', '--yes'], { cwd });
        rows.push({ name: `\`apply\`, ${what}`, per: size, sample: made });
        const sample = await runCli(['plan', '--detailed-exitcode'], { cwd });
        rows.push({ name: '  no-op `plan` after it', per: size, sample });
        const again = await runCli(['apply', '--yes'], { cwd });
        rows.push({ name: '  `apply` with nothing to do', per: size, sample: again });
      });
    }
    return rows;
  },
};
