/** What every version of the simulated service compiles to. Only `Vault` has no events, so that the version's detail never lists it. */
export const ARTIFACTS = [
    {
        id: 11,
        contract_name: 'Registry',
        bytecode: '0x6001',
        contract_abi: [{ type: 'event', name: 'Made', inputs: [] }],
    },
    {
        id: 12,
        contract_name: 'Token',
        bytecode: '0x6002',
        contract_abi: [
            { type: 'event', name: 'Made', inputs: [] },
            {
                type: 'constructor',
                name: '',
                inputs: [
                    { name: 'registry', type: 'address' },
                    { name: 'cap', type: 'uint256' },
                ],
            },
        ],
    },
    { id: 13, contract_name: 'Vault', bytecode: '0x6003', contract_abi: [] },
];
