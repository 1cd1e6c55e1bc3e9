import { describe, expect, it } from 'vitest';
import {
  readYaml,
  workflow,
  WORKFLOWS,
  type Action,
  type GitLab,
  type GitLabJob,
  type Job,
} from '../support/workflow.js';

describe('action.yml and the workflows', () => {
  it('say what GitHub asks for, and no more than the steps need', async () => {
    const action = await readYaml<Action & Readonly<Record<string, unknown>>>('action.yml');
    expect(Object.keys(action).sort()).toEqual([
      'author',
      'branding',
      'description',
      'inputs',
      'name',
      'outputs',
      'runs',
    ]);
    expect(action.runs.using).toBe('composite');
    const keys = ['id', 'name', 'if', 'shell', 'working-directory', 'env', 'run', 'uses', 'with'];
    for (const step of action.runs.steps) {
      expect(keys).toEqual(expect.arrayContaining(Object.keys(step)));
      expect((step.run === undefined) === (step.shell === undefined)).toBe(true);
      expect((step.run === undefined) !== (step.uses === undefined)).toBe(true);
    }
    for (const input of Object.keys(action.inputs)) expect(input).toMatch(/^[a-z][a-z-]*$/);
    for (const name of WORKFLOWS) {
      const { on, permissions, concurrency, jobs } = await workflow(name);
      expect(on).not.toHaveProperty('pull_request_target');
      expect(permissions).toEqual({ contents: 'read' });
      expect(concurrency.group).toContain('windlass');
      expect(concurrency['cancel-in-progress']).toBe(name !== 'apply');
      const writes = Object.values(jobs).flatMap((job) =>
        Object.entries(job.permissions ?? {}).flatMap(([what, how]) => (how === 'write' ? [what] : [])),
      );
      const needed = { plan: ['pull-requests'], apply: ['contents', 'pull-requests'], drift: ['issues'] };
      expect(writes).toEqual(needed[name]);
    }
    expect((await workflow('apply')).jobs['apply']?.environment).toBe('production');
  });

  it('read with one key, and write with another one that only the gated environment has', async () => {
    const keysOf = ({ steps }: Job) =>
      steps.flatMap(({ env = {} }) =>
        Object.values(env).flatMap((value) => value.match(/WINDLASS_[A-Z]+/g) ?? []),
      );
    const jobs = (await Promise.all(WORKFLOWS.map(workflow))).flatMap((one) => Object.values(one.jobs));
    const gated = jobs.filter(({ environment }) => environment === 'production');
    expect(gated.map(keysOf)).toEqual([['WINDLASS_WRITE', 'WINDLASS_WRITE']]);
    const others = jobs.filter((job) => !gated.includes(job));
    expect(others.map(keysOf)).toEqual(others.map(() => ['WINDLASS_READ', 'WINDLASS_READ']));
    const gitlab = await readYaml<GitLab>('examples/gitops/gitlab/.gitlab-ci.yml');
    for (const name of ['plan', 'apply', 'drift']) {
      const { script, environment } = gitlab[name] as GitLabJob;
      const [used] = /WINDLASS_(READ|WRITE)/.exec(script.join('\n')) ?? [];
      expect([name, used, environment?.name]).toEqual(
        name === 'apply' ? [name, 'WINDLASS_WRITE', 'production'] : [name, 'WINDLASS_READ', undefined],
      );
      expect(script.join('\n').includes('WINDLASS_WRITE')).toBe(name === 'apply');
    }
  });

  it('pin every action, put no value into a script, and give secrets to no step but the one that needs them', async () => {
    const steps = [
      ...(await readYaml<Action>('action.yml')).runs.steps,
      ...(await Promise.all(WORKFLOWS.map(workflow))).flatMap(({ jobs }) =>
        Object.values(jobs).flatMap((job) => job.steps),
      ),
    ];
    for (const { run: script, uses, env = {} } of steps) {
      if (script !== undefined) expect(script).not.toContain('${{');
      if (uses !== undefined) expect(uses).toMatch(/@v\d+(\.\d+){0,2}$/);
      const secret = Object.values(env).some((value) => value.includes('secrets.'));
      if (secret) expect(uses).toMatch(/^your-org\/windlass@/);
    }
  });
});
