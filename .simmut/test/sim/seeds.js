import { chanceOf, pick, swarm } from './chance.js';
import { PROFILES } from './profiles.js';
import { WORKLOADS } from './workloads.js';
/** The scenario that a seed stands for: a profile, a workload that fits it, and a swarm of faults. */
export function scenarioOf(seed) {
    const chance = chanceOf(seed);
    const profile = pick(chance, PROFILES);
    const workload = pick(chance, WORKLOADS.filter(({ fits }) => fits(profile)));
    return { profile, workload, decisions: [], draw: swarm(chance) };
}
