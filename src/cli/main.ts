#!/usr/bin/env node
/**
 * The door: argv → command → exit code. It loads almost nothing itself, so that `--version` is as quick as Node.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const argv = process.argv.slice(2);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Windlass needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 3;
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  const { packageVersion } = await import('./version.js');
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const { runProcess } = await import('./process.js');
  await runProcess(argv);
}
