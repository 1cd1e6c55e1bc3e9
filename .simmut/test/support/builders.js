import { digestOf } from '../../src/model/canonical.js';
import { addressPlaceholder, referencesOf } from '../../src/model/value.js';
import { knownAddress } from '../../src/kinds/knowledge.js';
import { CAPABILITIES } from '../../src/protocol/endpoint.js';
/** A well-formed address, different for each text or number. */
export function address(seed) {
    return `0x${digestOf(String(seed)).slice(7, 47)}`;
}
/** A well-formed transaction hash. */
export function hash(seed) {
    return `0x${digestOf(`hash ${seed}`).slice(7)}`;
}
export const REGISTRAR = address('registrar');
export const ALICE = address('alice');
/** A resource that depends on what its inputs name. */
export function resource(id, kind, inputs, dependsOn = referencesOf(inputs)) {
    return { id, kind, inputs, dependsOn, declaredAt: { line: 1, column: 1 } };
}
export function wallet(name) {
    return resource(`wallet.${name}`, 'wallet', {
        name,
        email: { $secret: { env: 'EMAIL' } },
        ic: { $personal: '900101-14-5678' },
    });
}
export function category(name) {
    return resource(`category.${name}`, 'category', { name });
}
export function tag(name) {
    return resource(`tag.${name}`, 'tag', { name });
}
export function project(slug = 'registry') {
    return resource(`project.${slug}`, 'project', { slug });
}
export function version(name = '1.0.0', over = {}) {
    const inputs = {
        project: 'project.registry',
        name,
        compiler: { solidity: 'v0.8.28', optimizer: { enabled: true, runs: 200 } },
        sources: [
            { path: 'contracts/Token.sol', filename: 'Token.sol', digest: digestOf('Token'), sizeBytes: 9 },
        ],
        packages: [],
        ...over,
    };
    return resource(`version.registry@${name}`, 'version', inputs, [inputs.project]);
}
export function contract(name, params = {}, over = {}) {
    const inputs = {
        deployment: 'deployment.core',
        version: 'version.registry@1.0.0',
        wallet: { type: 'organisation', address: REGISTRAR },
        contract: name,
        params,
        ...over,
    };
    const id = `contract.${inputs.deployment.slice('deployment.'.length)}.${name}`;
    return resource(id, 'contract', inputs, [inputs.version, ...referencesOf(params)]);
}
export function deployment(contracts, mode = 'batch') {
    return resource('deployment.core', 'deployment', {
        version: 'version.registry@1.0.0',
        wallet: { type: 'organisation', address: REGISTRAR },
        mode,
        contracts,
    }, contracts);
}
export function auditContract(name) {
    return resource(`audit-contract.${name}`, 'audit-contract', { name, encryptData: false });
}
export function record(name, over = {}) {
    const inputs = {
        contract: addressPlaceholder('audit-contract.releases'),
        signer: REGISTRAR,
        metadata: { release: name },
        envelope: 'digest',
        categories: [],
        tags: [],
        ...over,
    };
    const labels = [...inputs.categories, ...inputs.tags];
    return resource(`audit-record.${name}`, 'audit-record', inputs, [
        ...referencesOf(inputs),
        ...labels,
    ]);
}
export function certificateContract(name) {
    return resource(`certificate-contract.${name}`, 'certificate-contract', {
        nickname: `${name} nickname`,
        name,
        symbol: 'DIP',
        deployer: REGISTRAR,
        owner: REGISTRAR,
        maxSupply: 0,
    });
}
export function certificate(key, over = {}) {
    return resource(`certificate.class[${key}]`, 'certificate', {
        contract: addressPlaceholder('certificate-contract.diplomas'),
        owner: REGISTRAR,
        to: address(`student ${key}`),
        name: `Diploma ${key}`,
        description: '',
        attributes: [{ trait: 'Programme', value: 'Law' }],
        image: { path: `images/${key}.png`, digest: digestOf(`image ${key}`), sizeBytes: 100 },
        marker: 'attribute',
        ...over,
    });
}
export function transfer(name, ref, over = {}) {
    const inputs = {
        contract: addressPlaceholder('certificate-contract.diplomas'),
        token: { ref },
        from: REGISTRAR,
        to: ALICE,
        ...over,
    };
    const token = 'ref' in inputs.token ? [inputs.token.ref] : [];
    return resource(`transfer.${name}`, 'transfer', inputs, [...referencesOf(inputs), ...token]);
}
/** A plan that holds every kind, with edges between most of them. */
export function campus() {
    return [
        wallet('bob'),
        project(),
        version(),
        contract('Registry'),
        contract('Token', { registry: addressPlaceholder('contract.core.Registry'), cap: '1000' }),
        deployment(['contract.core.Registry', 'contract.core.Token']),
        auditContract('releases'),
        category('release'),
        tag('v1'),
        record('shipped', {
            metadata: { release: '1.0.0', token: addressPlaceholder('contract.core.Token') },
            categories: ['category.release'],
            tags: ['tag.v1'],
        }),
        certificateContract('diplomas'),
        certificate('S-1', { to: REGISTRAR }),
        certificate('S-2', { to: addressPlaceholder('wallet.bob') }),
        transfer('to-alice', 'certificate.class[S-1]'),
    ];
}
export function plan(resources, over = {}) {
    const { maxInFlight = 32, sendOrder = 'plan', ...rest } = over;
    const environment = {
        name: 'local',
        callbacks: {},
        maxInFlight,
        sendOrder,
        capabilities: [],
        protected: false,
    };
    return {
        name: 'campus',
        file: 'windlass.yaml',
        digest: digestOf('plan'),
        files: {},
        environment,
        environments: [],
        resources,
        moved: {},
        notices: [],
        ...rest,
    };
}
/** What an environment can show; everything unless told. */
export function abilities(over = {}) {
    const { capabilities = CAPABILITIES, ...rest } = over;
    return { callbacks: true, chain: false, ...rest, capabilities: new Set(capabilities) };
}
/** A step about resources of a plan of which some are made already. */
export function stepView(resources, over = {}) {
    const all = new Map([...(over.others ?? []), ...resources].map((item) => [item.id, item]));
    const knowledge = {
        abilities: over.abilities ?? abilities(),
        resource: (id) => all.get(id),
        outputs: (id) => over.outputs?.[id],
    };
    return {
        resources,
        knowledge,
        key: 'aaaabbbbccccdddd',
        addressOf: (id) => knownAddress(knowledge, id) ?? `unknown ${id}`,
    };
}
/** What is known of an attempt: accepted, nothing heard, not late, no other attempt near. */
export function known(over = {}) {
    return {
        resources: ['audit-record.shipped'],
        context: {},
        outcome: 'accepted',
        ids: {},
        callbacks: [],
        late: false,
        isTaken: () => false,
        rivals: () => [],
        ...over,
    };
}
