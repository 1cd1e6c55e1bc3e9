import { digestOf } from '../../src/model/canonical.js';
const MINUTE_MS = 60_000;
/** What a compiler decides, not the chain. */
const COMPILED = new Set(['version.create', 'version.update']);
const FORGED_ADDRESS = `0x${'f0'.repeat(20)}`;
const FORGED_HASH = `0x${'f0'.repeat(32)}`;
/** Confirms a write when its time comes, calls back about it, well or badly, and lets an attacker call back too. */
export function sendCallbacks(world, { executed, token, endpoint }) {
    const { confirm } = executed;
    if (token !== undefined)
        forge(world, token, { executed, endpoint });
    if (confirm === undefined)
        return;
    const fault = token === undefined ? 'none' : world.decisions.next('callback');
    if (token !== undefined && fault !== 'none' && fault !== 'early')
        world.troubled.add(token);
    const over = () => {
        const before = world.platform.truth.effects.length;
        const body = shaped(confirm(), endpoint);
        world.checkEffects(before);
        if (token !== undefined)
            deliver(world, { token, body, fault });
    };
    const waitMs = fault === 'early' ? 0 : world.profile.confirmMs;
    if (COMPILED.has(endpoint))
        return world.onPlatform(waitMs, over);
    if (world.decisions.next('chain') === 'stalled')
        world.chain.stall();
    world.chain.decide(waitMs, over);
}
function deliver(world, { token, body, fault, }) {
    const waits = world.profile.redeliveryMs;
    const send = (delayMs, to = token, what = body) => world.onPlatform(delayMs, () => world.send(to, what, waits));
    switch (fault) {
        case 'lost':
            return;
        case 'twice':
            send(5);
            return send(50);
        case 'late':
            return send(20_000);
        case 'very-late':
            return send(100 * MINUTE_MS);
        case 'misdelivered': {
            const other = world.leaked.findLast((leaked) => leaked !== token);
            if (other !== undefined) {
                world.forged = true;
                world.troubled.add(other);
                send(5, other);
            }
            return;
        }
        case 'garbled':
            send(3, token, Buffer.from('{"status":"success","status":"failed"}'));
            return send(9);
        case 'none':
        case 'early':
            return send(5);
    }
}
/** Some callbacks stand under `result`, as the interface allows. */
function shaped(body, endpoint) {
    return endpoint.startsWith('certificate.') ? { result: body } : body;
}
function forge(world, token, due) {
    const fault = world.decisions.next('forge');
    if (fault === 'none')
        return;
    const { result } = due.executed;
    const items = [
        { sc_artifact_id: 11, contract_address: FORGED_ADDRESS, receipt: { transactionHash: FORGED_HASH } },
        { sc_artifact_id: 13, contract_address: FORGED_ADDRESS, receipt: { transactionHash: FORGED_HASH } },
    ];
    const id = result['deployment_id'] === undefined ? {} : { deployment_id: result['deployment_id'] };
    const hash = result['transactionHash'] ?? null;
    const success = {
        ...id,
        status: 'success',
        transactionHash: FORGED_HASH,
        contract_address: FORGED_ADDRESS,
        receipt: { transactionHash: FORGED_HASH, contractAddress: FORGED_ADDRESS, status: true },
        deployed_contract_addresses: items,
    };
    const failure = { ...id, status: 'failed', message: 'forged' };
    const hashed = { ...failure, ...(hash !== null && { transactionHash: hash }) };
    const send = (ms, body, to = token) => {
        world.troubled.add(to);
        world.onPlatform(ms, () => {
            world.forged ||= to === token;
            world.send(to, body, []);
        });
    };
    switch (fault) {
        case 'success':
            return send(1, success);
        case 'success-later':
            return send(10 * MINUTE_MS, success);
        case 'failure':
            return send(1, failure);
        case 'failure-later':
            return send(44 * MINUTE_MS, hashed);
        case 'failure-hashed':
            return send(1, hashed);
        case 'stranger':
            return send(1, success, Buffer.from(digestOf(token).slice(7, 39)).toString('base64url'));
    }
}
