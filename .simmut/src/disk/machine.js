import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from './private-file.js';
/** The machine that this runs on. */
export const THIS_MACHINE = {
    host: hostname(),
    get boot() {
        return bootOfThisMachine();
    },
    pid: process.pid,
    startOf: startOfProcess,
};
/** The identity of the process that asks. */
export function ownIdentity(machine = THIS_MACHINE) {
    const { pid, host, boot } = machine;
    return { pid, host, boot, started: machine.startOf(pid) ?? '' };
}
/** `unknown` for a process of another machine, or of another start of this one: it cannot be asked about. */
export function lifeOf(process, machine = THIS_MACHINE) {
    if (process.host !== machine.host || process.boot !== machine.boot || machine.boot === '')
        return 'unknown';
    const start = machine.startOf(process.pid);
    if (start === undefined)
        return 'dead';
    return start === process.started || start === '' || process.started === '' ? 'alive' : 'dead';
}
/** The number space of pids is part of it: the same pid in two containers is two processes. */
function bootOfThisMachine() {
    try {
        if (process.platform === 'darwin')
            return run('sysctl', ['-n', 'kern.boottime']);
        const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
        return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    }
    catch {
        return '';
    }
}
function startOfProcess(pid) {
    try {
        process.kill(pid, 0);
    }
    catch (thrown) {
        if (systemCode(thrown) === 'ESRCH')
            return undefined;
    }
    try {
        if (process.platform !== 'linux')
            return run('ps', ['-o', 'lstart=', '-p', String(pid)]);
        return startInStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    }
    catch {
        return '';
    }
}
/** Fields 3 (state) and 22 (start) of proc_pid_stat(5), counted behind the name, which may hold anything. */
function startInStat(stat) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? '');
}
function run(command, parameters) {
    return execFileSync(command, parameters, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 2000,
    }).trim();
}
